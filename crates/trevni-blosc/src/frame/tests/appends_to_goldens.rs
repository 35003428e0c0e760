//! Frames that the reference has written and that are changed here.

use serde_json::json;

use super::commits::assert_is;
use super::{Frame, copy, golden, packed, walk};
use crate::array::Chunking;
use crate::chunk::Decoder;

#[test]
fn frames_of_others_go_on() {
    let folder = golden();
    for item in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if !item.extension().is_some_and(|e| e == "b2frame" || e == "b2nd") {
            continue;
        }
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join(item.file_name().unwrap());
        copy(&item, &path);
        let mut frame = Frame::open(&path).unwrap();
        let mut parts = vec![frame.bytes()];
        let mut attributes = frame.get().layout().attributes.clone();
        attributes.insert("more".into(), json!(1));
        frame.set_attributes(&attributes).unwrap();
        assert_is(&frame, &path, &parts);
        assert_eq!(frame.get().layout().attributes, attributes);
        let grid = matches!(frame.get().layout().chunking, Chunking::Grid { .. });
        if grid && !parts[0].is_empty() {
            let again = frame.get().chunk(0).unwrap();
            frame.update(0, &again).unwrap();
        } else {
            let params = frame.get().params().clone();
            let chunk = packed(&params, &walk(5, 10 * usize::from(params.typesize)));
            // What the filter "trunc_prec" leaves of it.
            parts.push(vec![0; 80 * usize::from(params.typesize)]);
            Decoder::default().decode(&chunk, &mut parts[1]).unwrap();
            frame.append(&chunk).unwrap();
        }
        assert_is(&frame, &path, &parts);
    }
}
