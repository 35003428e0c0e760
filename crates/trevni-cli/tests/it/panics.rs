//! What libraries would panic at is an error of one line.

use super::*;

#[test]
fn an_endpoint_that_is_no_url_is_an_error() {
    for endpoint in ["", "localhost", "localhost:9000", "ftp://localhost"] {
        let output = Command::new(env!("CARGO_BIN_EXE_trevni"))
            .args(["cat", "s3://bucket/key.trv"])
            .env("AWS_ENDPOINT", endpoint)
            .env("AWS_REGION", "us-east-1")
            .output()
            .unwrap();
        let text = said(&output);
        assert_eq!(code(&output), 1, "{endpoint:?}: {text}");
        assert!(text.starts_with("error: s3://bucket/key.trv: "), "{text}");
        assert!(text.contains(&format!("AWS_ENDPOINT = {endpoint:?}: ")), "{text}");
        assert_eq!(text.lines().count(), 1, "{text}");
    }
}
