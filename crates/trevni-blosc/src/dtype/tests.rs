//! Types compared with NumPy 2.4: `dtype.str` or `dtype.descr`, `str(dtype)`, and the bytes of an element.

#![allow(clippy::cast_possible_truncation)]

use proptest::prelude::*;

use super::*;

#[rustfmt::skip]
const OF_NUMPY: [(&str, &str, &str, usize); 126] = [
    ("<i8", "<i8", "int64", 8),
    (">i4", ">i4", ">i4", 4),
    ("|S10", "|S10", "|S10", 10),
    ("<U5", "<U5", "<U5", 20),
    ("|b1", "|b1", "bool", 1),
    ("int64", "<i8", "int64", 8),
    ("float16", "<f2", "float16", 2),
    ("bool", "|b1", "bool", 1),
    ("datetime64[ns]", "<M8[ns]", "datetime64[ns]", 8),
    ("M8[25us]", "<M8[25us]", "datetime64[25us]", 8),
    ("<M8[D]", "<M8[D]", "datetime64[D]", 8),
    ("timedelta64[ms]", "<m8[ms]", "timedelta64[ms]", 8),
    ("m8", "<m8", "timedelta64", 8),
    ("M8", "<M8", "datetime64", 8),
    ("complex128", "<c16", "complex128", 16),
    ("c16", "<c16", "complex128", 16),
    ("|V12", "|V12", "|V12", 12),
    ("S", "|S0", "|S0", 0),
    ("U", "<U0", "<U0", 0),
    ("V", "|V0", "|V0", 0),
    ("S0", "|S0", "|S0", 0),
    ("i4", "<i4", "int32", 4),
    ("f8", "<f8", "float64", 8),
    (">M8[s]", ">M8[s]", ">M8[s]", 8),
    ("|i4", "<i4", "int32", 4),
    ("=i4", "<i4", "int32", 4),
    ("<i1", "|i1", "int8", 1),
    (">b1", "|b1", "bool", 1),
    (">u1", "|u1", "uint8", 1),
    ("?", "|b1", "bool", 1),
    ("b", "|i1", "int8", 1),
    ("B", "|u1", "uint8", 1),
    ("h", "<i2", "int16", 2),
    ("H", "<u2", "uint16", 2),
    ("i", "<i4", "int32", 4),
    ("I", "<u4", "uint32", 4),
    ("l", "<i8", "int64", 8),
    ("L", "<u8", "uint64", 8),
    ("q", "<i8", "int64", 8),
    ("Q", "<u8", "uint64", 8),
    ("e", "<f2", "float16", 2),
    ("f", "<f4", "float32", 4),
    ("d", "<f8", "float64", 8),
    ("F", "<c8", "complex64", 8),
    ("D", "<c16", "complex128", 16),
    ("p", "<i8", "int64", 8),
    ("P", "<u8", "uint64", 8),
    ("c", "|S1", "|S1", 1),
    (">l", ">i8", ">i8", 8),
    (">d", ">f8", ">f8", 8),
    ("int", "<i8", "int64", 8),
    ("uint", "<u8", "uint64", 8),
    ("float", "<f8", "float64", 8),
    ("complex", "<c16", "complex128", 16),
    ("str", "<U0", "<U0", 0),
    ("bytes", "|S0", "|S0", 0),
    ("void", "|V0", "|V0", 0),
    ("half", "<f2", "float16", 2),
    ("single", "<f4", "float32", 4),
    ("double", "<f8", "float64", 8),
    ("byte", "|i1", "int8", 1),
    ("ubyte", "|u1", "uint8", 1),
    ("short", "<i2", "int16", 2),
    ("ushort", "<u2", "uint16", 2),
    ("intc", "<i4", "int32", 4),
    ("uintc", "<u4", "uint32", 4),
    ("long", "<i8", "int64", 8),
    ("ulong", "<u8", "uint64", 8),
    ("longlong", "<i8", "int64", 8),
    ("ulonglong", "<u8", "uint64", 8),
    ("intp", "<i8", "int64", 8),
    ("uintp", "<u8", "uint64", 8),
    ("bool_", "|b1", "bool", 1),
    ("int_", "<i8", "int64", 8),
    ("csingle", "<c8", "complex64", 8),
    ("cdouble", "<c16", "complex128", 16),
    (">U3", ">U3", ">U3", 12),
    (">S3", "|S3", "|S3", 3),
    ("<c8", "<c8", "complex64", 8),
    (">f2", ">f2", ">f2", 2),
    (">c16", ">c16", ">c16", 16),
    ("M8[generic]", "<M8", "datetime64", 8),
    ("M8[μs]", "<M8[us]", "datetime64[us]", 8),
    ("m8[1ns]", "<m8[ns]", "timedelta64[ns]", 8),
    ("M", "<M8", "datetime64", 8),
    ("m", "<m8", "timedelta64", 8),
    ("M8[3M]", "<M8[3M]", "datetime64[3M]", 8),
    ("M8[Y]", "<M8[Y]", "datetime64[Y]", 8),
    ("m8[W]", "<m8[W]", "timedelta64[W]", 8),
    ("M8[h]", "<M8[h]", "datetime64[h]", 8),
    ("M8[m]", "<M8[m]", "datetime64[m]", 8),
    ("M8[ps]", "<M8[ps]", "datetime64[ps]", 8),
    ("M8[fs]", "<M8[fs]", "datetime64[fs]", 8),
    ("M8[as]", "<M8[as]", "datetime64[as]", 8),
    ("timedelta64[generic]", "<m8", "timedelta64", 8),
    (">m8[10ms]", ">m8[10ms]", ">m8[10ms]", 8),
    ("a5", "|S5", "|S5", 5),
    ("uint8", "|u1", "uint8", 1),
    ("uint16", "<u2", "uint16", 2),
    ("uint32", "<u4", "uint32", 4),
    ("uint64", "<u8", "uint64", 8),
    ("int8", "|i1", "int8", 1),
    ("int16", "<i2", "int16", 2),
    ("int32", "<i4", "int32", 4),
    ("float32", "<f4", "float32", 4),
    ("float64", "<f8", "float64", 8),
    ("complex64", "<c8", "complex64", 8),
    ("U536870911", "<U536870911", "<U536870911", 2147483644),
    ("[('a', '<i4'), ('b', '<f8')]", "[('a', '<i4'), ('b', '<f8')]", "[('a', '<i4'), ('b', '<f8')]", 12),
    ("[('a', 'i4'), ('b', '>f8', (2,))]", "[('a', '<i4'), ('b', '>f8', (2,))]", "[('a', '<i4'), ('b', '>f8', (2,))]", 20),
    ("[('a', '?'), ('b', 'i1'), ('c', 'S4'), ('d', 'V3'), ('e', 'U2'), ('f', 'M8[ns]'), ('g', '>c16'), ('h', 'u1')]", "[('a', '|b1'), ('b', '|i1'), ('c', '|S4'), ('d', '|V3'), ('e', '<U2'), ('f', '<M8[ns]'), ('g', '>c16'), ('h', '|u1')]", "[('a', '?'), ('b', 'i1'), ('c', 'S4'), ('d', 'V3'), ('e', '<U2'), ('f', '<M8[ns]'), ('g', '>c16'), ('h', 'u1')]", 42),
    ("[('a', '<f8', 2)]", "[('a', '<f8', (2,))]", "[('a', '<f8', (2,))]", 16),
    ("[('a', '<f8', (1,))]", "[('a', '<f8', (1,))]", "[('a', '<f8', (1,))]", 8),
    ("[('a', '<f8', ())]", "[('a', '<f8')]", "[('a', '<f8')]", 8),
    ("[('a', '<f8', (2, 3))]", "[('a', '<f8', (2, 3))]", "[('a', '<f8', (2, 3))]", 48),
    ("[('a', [('b', 'i2'), ('c', 'S3', (2,))]), ('d', 'u1')]", "[('a', [('b', '<i2'), ('c', '|S3', (2,))]), ('d', '|u1')]", "[('a', [('b', '<i2'), ('c', 'S3', (2,))]), ('d', 'u1')]", 9),
    ("[('', '<i4'), ('', '<f8')]", "[('f0', '<i4'), ('f1', '<f8')]", "[('f0', '<i4'), ('f1', '<f8')]", 12),
    ("[(\"it's\", '<i4'), ('µ', '<i4'), ('q\"\\'', '<i4')]", "[(\"it's\", '<i4'), ('µ', '<i4'), ('q\"\\'', '<i4')]", "[(\"it's\", '<i4'), ('µ', '<i4'), ('q\"\\'', '<i4')]", 12),
    ("[]", "[]", "[]", 0),
    ("[('a', 'S'), ('b', 'U'), ('c', 'V')]", "[('a', '|S0'), ('b', '<U0'), ('c', '|V0')]", "[('a', 'S'), ('b', '<U'), ('c', 'V')]", 0),
    ("[('a', 'S0'), ('b', '<i4', (0,))]", "[('a', '|S0'), ('b', '<i4', (0,))]", "[('a', 'S'), ('b', '<i4', (0,))]", 0),
    ("{'names': ['a', 'b'], 'formats': ['i1', '<f8'], 'offsets': [0, 8], 'itemsize': 16}", "[('a', '|i1'), ('', '|V7'), ('b', '<f8')]", "{'names': ['a', 'b'], 'formats': ['i1', '<f8'], 'offsets': [0, 8], 'itemsize': 16}", 16),
    ("{'names': ['a', 'b'], 'formats': ['i1', ('<f8', (2,))], 'offsets': [1, 8], 'itemsize': 32}", "[('', '|V1'), ('a', '|i1'), ('', '|V6'), ('b', '<f8', (2,)), ('', '|V8')]", "{'names': ['a', 'b'], 'formats': ['i1', ('<f8', (2,))], 'offsets': [1, 8], 'itemsize': 32}", 32),
    ("{'names': ['a', 'b'], 'formats': ['i1', '<f8']}", "[('a', '|i1'), ('b', '<f8')]", "[('a', 'i1'), ('b', '<f8')]", 9),
    ("{'names': ['a'], 'formats': [[('x', '<i4'), ('y', '?')]], 'offsets': [4], 'itemsize': 12}", "[('', '|V4'), ('a', [('x', '<i4'), ('y', '|b1')]), ('', '|V3')]", "{'names': ['a'], 'formats': [[('x', '<i4'), ('y', '?')]], 'offsets': [4], 'itemsize': 12}", 12),
    ("[('n', {'names': ['a', 'b'], 'formats': ['i1', '<f8'], 'offsets': [0, 8], 'itemsize': 16}), ('m', '<i2')]", "[('n', [('a', '|i1'), ('', '|V7'), ('b', '<f8')]), ('m', '<i2')]", "[('n', {'names': ['a', 'b'], 'formats': ['i1', '<f8'], 'offsets': [0, 8], 'itemsize': 16}), ('m', '<i2')]", 18),
];

#[test]
fn are_as_in_numpy() {
    for (text, numpy_str, name, size) in OF_NUMPY {
        let dtype = Dtype::parse(text).unwrap();
        assert_eq!(dtype.numpy_str(), numpy_str, "{text}");
        assert_eq!(dtype.to_string(), name, "{text}");
        assert_eq!(dtype.size, size, "{text}");
        assert_eq!(Dtype::parse(numpy_str).unwrap(), dtype, "{text}");
        assert_eq!(Dtype::parse(name).unwrap(), dtype, "{text}");
        assert_eq!(Dtype::parse(&format!(" {text} ")).unwrap(), dtype, "{text}");
        if !Literal::is_at(text) {
            assert_eq!(Dtype::parse(&format!("'{text}'")).unwrap(), dtype, "{text}");
            assert_eq!(Dtype::from_json(&text.into()).unwrap(), dtype, "{text}");
        }
    }
}

#[test]
fn spellings_that_are_not_numpys() {
    for (text, same) in [
        ("bytes80", "|S10"),
        ("str160", "<U5"),
        ("void96", "|V12"),
        (">int64", ">i8"),
        ("[(('title', 'a'), 'i1')]", "[('a', '|i1')]"),
        ("[['a', '<i4'], ['b', '<f8', [2]]]", "[('a', '<i4'), ('b', '<f8', (2,))]"),
        ("[(u'a', b'<i4', 2L)]", "[('a', '<i4', (2,))]"),
        ("[('a', ('<i4', (2,)), (3,))]", "[('a', '<i4', (3, 2))]"),
        ("[('', '|V4'), ('a', 'u1')]", "[('', '|V4'), ('a', '|u1')]"),
        (
            "{'names': ['b', 'a'], 'formats': ['<f8', 'i1'], 'offsets': [4, 0], 'aligned': True}",
            "[('a', '|i1'), ('', '|V3'), ('b', '<f8')]",
        ),
    ] {
        assert_eq!(Dtype::parse(text).unwrap().numpy_str(), same, "{text}");
    }
}

#[test]
fn what_is_no_type_is_refused() {
    for (text, why) in [
        ("|O", "pickles"),
        ("object", "pickles"),
        ("[('a', 'O')]", "pickles"),
        ("g", "long doubles"),
        ("float128", "long doubles"),
        ("T", "not in the array"),
        ("i3", "dtype \"i3\""),
        ("b2", "b2"),
        ("", "dtype \"\""),
        ("<", "dtype"),
        ("int7", "int7"),
        ("int64x", "int64x"),
        ("str7", "str7"),
        ("S-1", "S-1"),
        ("U+1", "U+1"),
        ("S99999999999999999999", "S99"),
        ("S2147483648", "exceeds the limit"),
        ("U536870912", "exceeds the limit"),
        ("M8[]", "M8"),
        ("M8[0s]", "M8"),
        ("M8[B]", "M8"),
        ("M8[99999999999s]", "M8"),
        ("datetime64[s", "datetime"),
        ("'<i4", "the end of a string"),
        ("('<i4', (2,))", "elements are arrays"),
        ("5", "dtype \"5\""),
        ("[5]", "a name, a type"),
        ("[('a',)]", "a name, a type"),
        ("[('a', '<i4', -1)]", "a name, a type"),
        ("[('a', 'i4'), ('a', 'i4')]", "two fields"),
        ("[('a', '<i4', (4294967296, 4294967296))]", "more than 2 GiB"),
        ("[('a', 'S2000000000'), ('b', 'S2000000000')]", "more than 2 GiB"),
        ("{'a': ('<i4', 0)}", "without 'names'"),
        ("{'names': ['a'], 'formats': []}", "a name, a type"),
        ("{'names': ['a'], 'formats': ['i4'], 'offsets': []}", "a name, a type"),
        ("{'names': ['a'], 'formats': ['i4'], 'offsets': [-1]}", "a name, a type"),
        ("{'names': ['a'], 'formats': ['i4'], 'offsets': [9999999999]}", "a name, a type"),
        ("{'names': ['a'], 'formats': ['i4'], 'itemsize': 3}", "of 3 bytes"),
        ("{'names': ['a'], 'formats': ['i4'], 'itemsize': 'x'}", "a name, a type"),
        ("{'names': ['a'], 'formats': ['i4'], 'aligned': True}", "aligned"),
        ("{'names': ['a', 'b'], 'formats': ['i4', 'i4'], 'offsets': [0, 2]}", "overlap"),
    ] {
        let e = Dtype::parse(text).unwrap_err().to_string();
        assert!(e.contains(why), "{text}: {e}");
    }
    assert!(Dtype::from_json(&serde_json::json!({"a": 1})).is_err());
    assert!(Dtype::from_json(&serde_json::json!(1.5)).is_err());
}

fn plain() -> impl Strategy<Value = Dtype> {
    let time = prop_oneof![Just("M8"), Just("m8")];
    let base = prop::sample::select(
        &["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as", "generic"][..],
    );
    let texts = prop_oneof![
        prop::sample::select(
            &["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
                [..]
        )
        .prop_map(str::to_owned),
        ("[SUV]", 0..300u32).prop_map(|(letter, n)| format!("{letter}{n}")),
        (time, 1..100u32, base).prop_map(|(letter, n, base)| match base {
            "generic" => letter.to_owned(),
            base => format!("{letter}[{n}{base}]"),
        }),
    ];
    ("[<>]", texts).prop_map(|(order, text)| Dtype::parse(&format!("{order}{text}")).unwrap())
}

fn any_dtype() -> impl Strategy<Value = Dtype> {
    plain().prop_recursive(3, 20, 4, |inner| {
        let shape = prop::collection::vec(0..5u64, 0..3);
        let field = (any::<String>(), inner, shape, 0..3usize);
        prop::collection::vec(field, 0..5).prop_map(|fields| {
            let mut all = Vec::new();
            for (i, (name, dtype, shape, gap)) in fields.into_iter().enumerate() {
                all.push(Field { name: format!("{name}{i}"), dtype, shape });
                let (name, dtype) = (String::new(), Dtype::new(DtypeKind::Void, gap));
                all.extend((gap > 0).then_some(Field { name, dtype, shape: Vec::new() }));
            }
            let size_of = |f: &Field| f.dtype.size * f.shape.iter().product::<u64>() as usize;
            let size = all.iter().map(size_of).sum();
            Dtype::new(DtypeKind::Record(all), size)
        })
    })
}

proptest! {
    #[test]
    fn texts_come_back(dtype in any_dtype()) {
        prop_assert_eq!(&Dtype::parse(&dtype.numpy_str()).unwrap(), &dtype);
        prop_assert_eq!(&Dtype::parse(&dtype.name()).unwrap(), &dtype);
    }

    #[test]
    fn any_text_is_taken_or_refused(text in r#"[\[\](){}'":,<>|=a-zA-Z0-9\\ µ]{0,40}"#) {
        if let Ok(dtype) = Dtype::parse(&text) {
            prop_assert_eq!(&Dtype::parse(&dtype.numpy_str()).unwrap(), &dtype);
        }
    }

    #[test]
    fn damaged_texts_are_taken_or_refused(
        (_, text, ..) in prop::sample::select(&OF_NUMPY[..]), at in any::<prop::sample::Index>(), with in any::<char>(),
    ) {
        let mut characters: Vec<_> = text.chars().collect();
        let at = at.index(characters.len());
        characters[at] = with;
        let _ = Dtype::parse(&characters.iter().collect::<String>());
        let _ = Dtype::parse(&characters[..at].iter().collect::<String>());
    }
}
