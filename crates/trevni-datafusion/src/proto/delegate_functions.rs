//! Functions in plans, which both codecs leave to the codec that they wrap.

/// The methods of a codec for functions, by its field `inner`. They are the same in both traits.
macro_rules! delegate_functions {
    () => {
        fn try_encode_udf(
            &self,
            node: &datafusion::logical_expr::ScalarUDF,
            buf: &mut Vec<u8>,
        ) -> Result<()> {
            self.inner.try_encode_udf(node, buf)
        }

        fn try_decode_udf(
            &self,
            name: &str,
            buf: &[u8],
        ) -> Result<Arc<datafusion::logical_expr::ScalarUDF>> {
            self.inner.try_decode_udf(name, buf)
        }

        fn try_encode_higher_order_function(
            &self,
            node: &datafusion::logical_expr::HigherOrderUDF,
            buf: &mut Vec<u8>,
        ) -> Result<()> {
            self.inner.try_encode_higher_order_function(node, buf)
        }

        fn try_decode_higher_order_function(
            &self,
            name: &str,
            buf: &[u8],
        ) -> Result<Arc<datafusion::logical_expr::HigherOrderUDF>> {
            self.inner.try_decode_higher_order_function(name, buf)
        }

        fn try_encode_udaf(
            &self,
            node: &datafusion::logical_expr::AggregateUDF,
            buf: &mut Vec<u8>,
        ) -> Result<()> {
            self.inner.try_encode_udaf(node, buf)
        }

        fn try_decode_udaf(
            &self,
            name: &str,
            buf: &[u8],
        ) -> Result<Arc<datafusion::logical_expr::AggregateUDF>> {
            self.inner.try_decode_udaf(name, buf)
        }

        fn try_encode_udwf(
            &self,
            node: &datafusion::logical_expr::WindowUDF,
            buf: &mut Vec<u8>,
        ) -> Result<()> {
            self.inner.try_encode_udwf(node, buf)
        }

        fn try_decode_udwf(
            &self,
            name: &str,
            buf: &[u8],
        ) -> Result<Arc<datafusion::logical_expr::WindowUDF>> {
            self.inner.try_decode_udwf(name, buf)
        }
    };
}

pub(super) use delegate_functions;
