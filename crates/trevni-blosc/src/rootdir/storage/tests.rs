use super::*;
use crate::{Compressor, Filter};

fn parse(text: &str, shape: &[u64]) -> Result<Columns> {
    Columns::parse(&Meta::parse("meta/storage", text.as_bytes())?, shape)
}

fn alone(text: &str) -> Storage {
    parse(text, &[1000]).unwrap().0.remove(0).storage
}

#[test]
fn what_bcolz_writes_comes_back() {
    for text in [
        "{\"dtype\": \"int64\", \"cparams\": {\"clevel\": 5, \"shuffle\": 1, \"cname\": \"lz4\", \"quantize\": 0}, \"chunklen\": 128, \"expectedlen\": 300, \"dflt\": 0}\n",
        "{\"dtype\": \"float64\", \"cparams\": {\"clevel\": 0, \"shuffle\": 2, \"cname\": \"zstd\", \"quantize\": 3}, \"chunklen\": 1, \"expectedlen\": 0, \"dflt\": NaN}\n",
        "{\"dtype\": \"|S4\", \"cparams\": {\"clevel\": 9, \"shuffle\": 0, \"cname\": \"blosclz\", \"quantize\": 0}, \"chunklen\": 7, \"expectedlen\": 0, \"dflt\": \"x\"}\n",
    ] {
        let storage = alone(text);
        assert_eq!(String::from_utf8(storage.to_bcolz().unwrap()).unwrap(), text);
    }
}

#[test]
fn keys_may_be_missing_or_old() {
    let storage = alone("{\"dtype\": \"<i4\"}");
    assert_eq!((storage.expectedlen, storage.chunk_shape), (1000, vec![16384]));
    assert_eq!(storage.params.compressor, Compressor::Lz4);
    let storage = alone(
        "{\"dtype\": \"float64\", \"cparams\": {\"shuffle\": true, \"clevel\": 5}, \"chunklen\": 16384, \"dflt\": 0.0, \"expectedlen\": 10000000}",
    );
    assert_eq!(storage.params.compressor, Compressor::BloscLz);
    assert_eq!(storage.params.filters[5], Filter::Shuffle { group: 0 });
    assert!(storage.fill.is_empty());
    let storage = alone("{\"dtype\": \"|S4\", \"cparams\": {\"shuffle\": false}, \"more\": []}");
    assert_eq!((storage.params.filters[5], storage.params.typesize), (Filter::None, 1));
    assert_eq!(alone("{\"dtype\": \"<U4\"}").params.typesize, 4);
}

#[test]
fn the_example_of_the_proposals() {
    let text = "
dtype:
  col1: int8
  col2: float32
chunkshape: (30,)
superchunksize: 10
endianness: big
order: C
compression:
  library: fastlz
  level: 3
  filters: [bitshuffle, truncate]
";
    let columns = parse(text, &[1000]).unwrap();
    assert!(columns.is_table());
    assert_eq!(columns.0.iter().map(Column::name).collect::<Vec<_>>(), ["col1", "col2"]);
    let [first, second] = [&columns.0[0].storage, &columns.0[1].storage];
    assert_eq!((first.dtype.name(), second.dtype.name()), ("int8".into(), ">f4".into()));
    assert_eq!((first.chunk_shape.as_slice(), first.params.level), (&[30][..], 3));
    assert_eq!(
        (first.params.compressor, first.params.filters[5]),
        (Compressor::BloscLz, Filter::BitShuffle)
    );
    assert_eq!([first.params.typesize, second.params.typesize], [1, 4]);
    let meta = Meta::parse("x", text.as_bytes()).unwrap();
    assert_eq!(parse_form(&meta).unwrap().unwrap().chunks, 10);
}

#[test]
fn tables_of_superchunks_come_back() {
    let form = Superchunks { chunks: 7, slack: Slack::Percent(10) };
    for text in [
        "{\"dtype\": \"int64\", \"dflt\": 3}",
        "{\"dtype\": \"int64\", \"endianness\": \"big\", \"chunkshape\": [30, 2], \"order\": \"F\"}",
        "{\"dtype\": {\"a\": \"int8\", \"b\": {\"c\": \">f4\", \"d\": \"(2, 3)<U2\", \"e\": \"(5,)bool\"}}, \"dflt\": {\"b\": {\"c\": 0.5}}, \"compression\": {\"library\": \"zstd\"}}",
    ] {
        let shape = if text.contains("order") { &[50, 2][..] } else { &[50] };
        let columns = parse(text, shape).unwrap();
        let bytes = to_superchunk(&columns, &form).unwrap();
        let meta = Meta::parse("x", &bytes).unwrap();
        assert_eq!(parse_form(&meta).unwrap(), Some(form));
        let again = Columns::parse(&meta, shape).unwrap();
        for (column, again) in columns.0.iter().zip(&again.0) {
            assert_eq!(
                (&column.names, &column.storage, &column.item_shape),
                (&again.names, &again.storage, &again.item_shape)
            );
        }
        assert_eq!(columns.0.len(), again.0.len());
        assert_eq!(to_superchunk(&again, &form).unwrap(), bytes);
    }
}

#[test]
fn refuses_what_makes_no_sense() {
    for rest in [
        "\"cparams\": 1",
        "\"cparams\": {\"clevel\": 10}",
        "\"cparams\": {\"clevel\": -1}",
        "\"cparams\": {\"shuffle\": 3}",
        "\"cparams\": {\"cname\": \"rot13\"}",
        "\"cparams\": {\"cname\": 1}",
        "\"chunklen\": -1",
        "\"chunklen\": \"x\"",
        "\"expectedlen\": 1.5",
        "\"dflt\": \"x\"",
        "\"order\": \"D\"",
        "\"endianness\": \"middle\"",
        "\"compression\": []",
        "\"compression\": {\"filters\": [\"rot13\"]}",
        "\"compression\": {\"filters\": 1}",
    ] {
        assert!(parse(&format!("{{\"dtype\": \"int8\", {rest}}}"), &[5]).is_err(), "{rest}");
    }
    let deep = "{\"a\": ".repeat(20) + "\"int8\"" + &"}".repeat(20);
    for dtype in [
        "1",
        "[]",
        "\"object\"",
        "\"|O\"",
        "\"int65\"",
        "{\"a/b\": \"int8\"}",
        "{\"a.b\": \"int8\"}",
        "{\"a\": 1}",
        "{\"a\": \"(x)int8\"}",
        &deep,
    ] {
        assert!(parse(&format!("{{\"dtype\": {dtype}}}"), &[5]).is_err(), "{dtype}");
    }
    assert!(parse("{}", &[5]).is_err());
    let form = |text: &str| parse_form(&Meta::parse("x", text.as_bytes()).unwrap());
    assert!(form("{\"superchunksize\": 1, \"slack\": \"x\"}").is_err());
    assert!(form("{\"superchunksize\": -1}").is_err());
    assert_eq!(form("{\"slack\": 5}").unwrap(), None);
    let record = Storage::new(Dtype::parse("[('a', 'i4')]").unwrap(), &[], 1).unwrap();
    assert!(record.to_bcolz().is_err());
    assert!(Storage::new(Dtype::parse("S0").unwrap(), &[], 1).is_err());
    assert!(Storage::new(Dtype::parse("i4").unwrap(), &[u64::MAX], 1).is_err());
}
