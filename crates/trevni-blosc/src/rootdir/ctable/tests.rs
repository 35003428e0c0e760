use super::*;
use crate::rootdir::tests::*;
use crate::rootdir::{CtableBuilder, Storage};

fn columns() -> Vec<(String, Storage)> {
    [("id", "int64"), ("key", "|S4"), ("ok", "bool")]
        .map(|(name, dtype)| (name.to_owned(), storage(dtype, 10)))
        .to_vec()
}

/// Some rows, made to be as long as the type wants.
fn data(rows: usize) -> Vec<Vec<u8>> {
    columns()
        .iter()
        .zip(1..)
        .map(|((_, storage), seed)| some_bytes(rows * storage.dtype.size, seed))
        .collect()
}

fn build(path: &Path, form: DirectoryFormat, rows: usize) {
    let mut builder = CtableBuilder::create(path, columns(), form, false).unwrap();
    for (i, ((_, storage), data)) in columns().iter().zip(data(rows)).enumerate() {
        for chunk in chunks_of(storage, &[rows as u64], &data) {
            builder.push(i, &chunk).unwrap();
        }
    }
    let attributes = serde_json::from_str("{\"title\": \"basic\"}").unwrap();
    builder.finish(&vec![vec![rows as u64]; 3], &attributes).unwrap();
}

fn assert_same(table: &Ctable, path: &Path, expected: &[Vec<u8>]) {
    for table in [table, &Ctable::open(path).unwrap()] {
        let found: Vec<_> = table.columns().iter().map(decode).collect();
        assert!(found == expected, "{:?}", table.form());
    }
}

#[test]
fn all_columns_change_at_once() {
    let home = tempfile::tempdir().unwrap();
    for (i, form) in FORMS.into_iter().enumerate() {
        let path = home.path().join(i.to_string());
        build(&path, form, 33);
        let mut table = Ctable::open(&path).unwrap();
        assert_eq!(
            (table.names(), table.form()),
            (&["id".into(), "key".into(), "ok".into()][..], form)
        );
        assert_eq!(table.attributes()["title"], "basic");
        assert_same(&table, &path, &data(33));
        let mut before = data(33);
        for rows in [75, 40, 0, 12] {
            let after = data(rows);
            let pairs = columns().into_iter().zip(before.iter().zip(&after));
            let edits = pairs
                .map(|((_, storage), (old, new))| edit(&storage, old, &[rows as u64], new))
                .collect();
            let attributes = (rows == 40).then(Attributes::new);
            table.commit(edits, attributes).unwrap();
            assert_same(&table, &path, &after);
            assert_eq!((table.rows(), table.attributes().is_empty()), (rows as u64, rows <= 40));
            before = after;
        }
    }
}

#[test]
fn columns_come_and_go() {
    let home = tempfile::tempdir().unwrap();
    for (i, form) in FORMS.into_iter().enumerate() {
        let path = home.path().join(i.to_string());
        build(&path, form, 33);
        let mut table = Ctable::open(&path).unwrap();
        let new = Storage { fill: vec![1, 2], ..storage("int16", 10) };
        let extra = some_bytes(33 * 2 * 3, 9);
        let chunks = chunks_of(&new, &[33, 3], &extra).into_iter().map(Ok);
        table.add_column(1, "extra", new.clone(), &[33, 3], chunks).unwrap();
        assert_eq!(table.names(), ["id", "extra", "key", "ok"]);
        assert_eq!(
            (table.columns()[1].layout().shape.as_slice(), table.columns()[1].storage()),
            (&[33, 3][..], &new)
        );
        let [id, key, ok] = <[Vec<u8>; 3]>::try_from(data(33)).unwrap();
        assert_same(&table, &path, &[id, extra.clone(), key.clone(), ok.clone()]);
        let mut sizes = Vec::new();
        for name in ["id", "ok"] {
            table.remove_column(name).unwrap();
            assert!(!files(&path).keys().any(|file| file.contains(&format!("{name}/"))));
            sizes.push(table.sized.as_ref().map(|sized| sized.sizes.clone()));
        }
        assert_same(&table, &path, &[extra, key]);
        if let Some(last) = &sizes[1] {
            assert_eq!(last.nbytes, 33 * (6 + 4));
            let bytes = files(&path)
                .into_iter()
                .filter(|(name, _)| name.starts_with("data/"))
                .map(|(_, b)| b.len() as u64);
            assert_eq!(last.cbytes, Some(bytes.sum()));
        }
        for (at, name, rows) in
            [(0, "key", 33), (3, "new", 33), (0, "new", 34), (0, "a/b", 33), (0, "..", 33)]
        {
            let chunks = chunks_of(&new, &[rows], &vec![0; 2 * size(rows)]).into_iter().map(Ok);
            assert!(
                table.add_column(at, name, new.clone(), &[rows], chunks).is_err(),
                "{at} {name} {rows}"
            );
        }
        let failing = [Err(Error::invalid("no more"))];
        assert!(
            table
                .add_column(0, "new", new.clone(), &[33], failing)
                .unwrap_err()
                .to_string()
                .contains("no more")
        );
        assert!(table.remove_column("new").is_err());
        assert_eq!(Ctable::open(&path).unwrap().names(), ["extra", "key"]);
        assert!(!path.join(".trevni").exists());
    }
}

#[test]
fn columns_that_another_has_changed_are_left_alone() {
    let home = tempfile::tempdir().unwrap();
    for (i, form) in FORMS.into_iter().enumerate() {
        let path = home.path().join(i.to_string());
        build(&path, form, 5);
        let mut table = Ctable::open(&path).unwrap();
        Ctable::open(&path).unwrap().remove_column("key").unwrap();
        let new = storage("int8", 10);
        let chunk = Ok(encode(&new, &[1; 5]));
        let e = table.add_column(0, "new", new, &[5], [chunk]).unwrap_err().to_string();
        assert!(e.contains("has changed"), "{e}");
        assert!(table.remove_column("id").is_err());
        assert_eq!(Ctable::open(&path).unwrap().names(), ["id", "ok"]);
    }
}

#[test]
fn bcolz_may_be_without_columns_and_superchunks_may_not() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("a");
    CtableBuilder::create(&path, Vec::new(), DirectoryFormat::Bcolz, false)
        .unwrap()
        .finish(&[], &Attributes::new())
        .unwrap();
    let mut table = Ctable::open(&path).unwrap();
    assert_eq!(table.rows(), 0);
    let new = storage("int8", 4);
    table.add_column(0, "a", new.clone(), &[0], []).unwrap();
    assert!(path.join("a/data").is_dir());
    table.remove_column("a").unwrap();
    table.add_column(0, "b", new.clone(), &[2], [Ok(encode(&new, &[1, 2]))]).unwrap();
    assert_eq!(table.rows(), 2);
    let empty = CtableBuilder::create(home.path().join("b"), Vec::new(), FORMS[1], false).unwrap();
    assert!(empty.finish(&[], &Attributes::new()).is_err());
}

#[test]
fn tables_that_do_not_fit_together_are_refused() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("a");
    let two = |a: &str, b: Storage| vec![(a.to_owned(), storage("int8", 10)), ("b".to_owned(), b)];
    let zlib = {
        let mut zlib = storage("int8", 10);
        zlib.params.level = 1;
        zlib
    };
    for (columns, form) in [
        (two("b", storage("int8", 10)), FORMS[0]),
        (two("x y", storage("int8", 10)), FORMS[0]),
        (two("a", storage("int8", 11)), FORMS[1]),
        (two("a", zlib), FORMS[1]),
        (two("../a", storage("int8", 10)), FORMS[1]),
        (two("b", storage("int8", 10)), FORMS[1]),
    ] {
        assert!(CtableBuilder::create(&path, columns, form, false).is_err());
    }
    for form in FORMS {
        let builder = CtableBuilder::create(&path, columns(), form, false).unwrap();
        assert!(builder.finish(&[vec![0], vec![1], vec![0]], &Attributes::new()).is_err());
        let mut builder = CtableBuilder::create(&path, columns(), form, false).unwrap();
        assert!(builder.push(3, &[]).is_err() && !path.exists());
    }
    build(&path, DirectoryFormat::Bcolz, 33);
    let mut table = Ctable::open(&path).unwrap();
    let edits = |rows: [usize; 3]| {
        let pairs = columns().into_iter().zip(data(33)).zip(rows);
        let edit = |(((_, storage), old), rows): ((_, Vec<u8>), usize)| {
            edit(&storage, &old, &[rows as u64], &old[..rows * storage.dtype.size])
        };
        pairs.map(edit).collect::<Vec<_>>()
    };
    assert!(table.commit(edits([20, 20, 21]), None).is_err());
    assert!(table.commit(edits([20, 20, 20])[..2].to_vec(), None).is_err());
    table.commit(edits([20, 20, 20]), None).unwrap();
    std::fs::write(path.join("ok/meta/sizes"), "{\"shape\": [19]}").unwrap();
    let e = Ctable::open(&path).unwrap_err().to_string();
    assert!(e.contains("\"ok\" has 19 rows"), "{e}");
    std::fs::remove_file(path.join("ok/meta/storage")).unwrap();
    let mut table = Ctable::open(&path).unwrap();
    let [(name, e)] = table.unreadable() else { panic!("{:?}", table.unreadable()) };
    assert_eq!(name, "ok");
    assert_eq!(e.to_string(), "column \"ok\": malformed: ok/meta/storage is missing");
    assert_eq!(table.columns().len(), 2);
    let e = table.commit(edits([10, 10, 10])[..2].to_vec(), None).unwrap_err().to_string();
    assert!(e.starts_with("unsupported: a change of a table whose column \"ok\" cannot"), "{e}");
    assert!(table.remove_column("id").is_err());
    std::fs::write(path.join("__rootdirs__"), "{\"names\": [\"id\", \"../a/id\"]}").unwrap();
    assert!(Ctable::open(&path).is_err());
}

#[test]
fn columns_in_columns() {
    let home = tempfile::tempdir().unwrap();
    let columns = vec![
        ("p.x".to_owned(), storage("int8", 4)),
        ("p.y".to_owned(), storage("int8", 4)),
        ("q".to_owned(), storage("int8", 4)),
    ];
    let path = home.path().join("a");
    let mut builder = CtableBuilder::create(&path, columns, FORMS[1], false).unwrap();
    (0..3).for_each(|i| {
        builder.push(i, &encode(&storage("int8", 4), &[7, [0, 1, 2][i], 9])).unwrap()
    });
    builder.finish(&[vec![3], vec![3], vec![3]], &Attributes::new()).unwrap();
    assert!(path.join("data/p/x/__1__.bin").is_file());
    let mut table = Ctable::open(&path).unwrap();
    assert_eq!(table.names(), ["p.x", "p.y", "q"]);
    table.remove_column("p.x").unwrap();
    assert_same(&table, &path, &[vec![7, 1, 9], vec![7, 2, 9]]);
    let under = table.add_column(
        0,
        "q.z",
        storage("int8", 4),
        &[3],
        [Ok(encode(&storage("int8", 4), &[1, 2, 3]))],
    );
    assert!(under.is_err());
    assert_same(&table, &path, &[vec![7, 1, 9], vec![7, 2, 9]]);
}

#[test]
fn tables_of_two_dimensions_in_boxes() {
    use crate::Chunking;
    use crate::rootdir::directory_format::Slack;
    use crate::rootdir::superchunk::assemble;
    let home = tempfile::tempdir().unwrap();
    let write = |file: &str, bytes: &[u8]| {
        let path = home.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    };
    write("meta/sizes", b"shape: (5, 4)\n");
    write("meta/storage", b"dtype:\n  a: int8\n  b: '(2,)int16'\nchunkshape: (3, 2)\n");
    let boxes = |bytes: usize| -> Vec<_> {
        (0..6).map(|i| encode(&storage("int8", 1), &vec![i; bytes])).collect()
    };
    for (name, bytes) in [("a", 6), ("b", 24)] {
        let chunks = boxes(bytes);
        let slices: Vec<&[u8]> = chunks[..4].iter().map(Vec::as_slice).collect();
        let file =
            assemble(&slices, crate::bloscpack::Digest::Adler32, Slack::Percent(5), None).unwrap();
        write(&format!("data/{name}/__1__.bin"), &file);
    }
    let mut table = Ctable::open(home.path()).unwrap();
    let shapes: Vec<_> =
        table.columns().iter().map(|column| column.layout().shape.clone()).collect();
    assert_eq!(shapes, [vec![5, 4], vec![5, 4, 2]]);
    let chunk_shape = vec![3, 2, 2];
    assert_eq!(
        table.columns()[1].layout().chunking,
        Chunking::Grid { block_shape: chunk_shape.clone(), chunk_shape }
    );
    let edits = [(6, vec![8, 4]), (24, vec![8, 4, 2])].map(|(bytes, shape)| {
        let chunks =
            boxes(bytes).into_iter().zip(0..).skip(4).map(|(chunk, i)| (i, chunk)).collect();
        Edit { chunks, count: 6, shape, attributes: None }
    });
    table.commit(edits.to_vec(), None).unwrap();
    table.remove_column("a").unwrap();
    let table = Ctable::open(home.path()).unwrap();
    assert_eq!(
        (table.names(), table.columns()[0].layout().shape.as_slice()),
        (&["b".to_owned()][..], &[8, 4, 2][..])
    );
    let expected: Vec<_> = (0..6).map(|i| vec![i; 24]).collect();
    assert_eq!(decode_chunks(&table.columns()[0]), expected);
    let new = storage("int8", 3);
    assert!(
        table.form() != DirectoryFormat::Bcolz
            && Ctable::open(home.path()).unwrap().add_column(0, "c", new, &[8, 4], []).is_err()
    );
}
