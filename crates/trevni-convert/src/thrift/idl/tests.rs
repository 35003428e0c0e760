//! Every construct of the language, and errors word for word.

use super::*;
use crate::ThriftType;

fn parse(text: &str) -> Document {
    Document::parse("IDL", text).unwrap()
}

fn fields(document: &Document, name: &str) -> String {
    match &document.definitions[name] {
        Definition::Record { fields, .. } => {
            let one = |f: &FieldDefinition| format!("{} {:?} {}", f.id, f.requiredness, f.name);
            fields.iter().map(one).collect::<Vec<_>>().join(", ")
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_construct_is_read() {
    let document = parse(
        r#"
        /** A file. */
        include "a/shared.thrift"; cpp_include "<map>"
        namespace cpp a.b.c namespace * d namespace py.twisted e (x = "y") namespace xsd 'http://x'
        # consts
        const i32 A = 1 ; const list<i32> B = [1, 2 3;] const map<string, list<double>> C = {"x": [1.5, -2], 'y' : []},
        typedef list<A> (a.b = "c") T (d) ; typedef map cpp_type "std::map" <i32, set<binary>> M
        enum E { X, Y = 0x10 (old), Z; } (e = "f")
        senum Old { "a", "b" }
        struct S xsd_all { 1: required i32 a = 1 (x = "y"), 2: optional E b; bool & c xsd_optional, -7: T d, slist e } (g = "h")
        union U { 1: byte a /* no */ 2: list<i8> cpp_type "x" b // no
        }
        exception X { 1: i16 what }
        service V extends shared.W { oneway void f(1: i32 a = {}) throws (1: X x), } (z)
        "#,
    );
    assert_eq!(document.includes, [Include { path: "a/shared.thrift".into(), line: 3 }]);
    assert_eq!(document.structs, ["S", "X"]);
    assert_eq!(
        fields(&document, "S"),
        "1 Required a, 2 Optional b, -1 Default c, -7 Default d, -2 Default e"
    );
    assert_eq!(fields(&document, "U"), "1 Default a, 2 Default b");
    let number = |name: &str, n| (name.to_owned(), n);
    assert_eq!(
        document.definitions["E"],
        Definition::Enum(vec![number("X", 0), number("Y", 16), number("Z", 17)])
    );
    assert_eq!(document.definitions["Old"], Definition::Typedef(TypeName::Text));
    let named = TypeName::Named { name: "A".into(), line: 7 };
    assert_eq!(document.definitions["T"], Definition::Typedef(TypeName::List(Box::new(named))));
    let Definition::Const(_, b) = &document.definitions["B"] else { panic!() };
    let int = |n| Value { line: 6, content: Content::Int(n) };
    assert_eq!(b.content, Content::List(vec![int(1), int(2), int(3)]));
    assert_eq!(document.definitions.len(), 10);
}

#[test]
fn what_is_no_idl_is_told_with_its_line() {
    let deep = format!("typedef {} T", "list<".repeat(70));
    let value = format!("const i32 A = {}", "[".repeat(70));
    for (text, wanted) in [
        ("id,name\n1,x\n", "line 1: \"id\" found instead of a definition"),
        ("\nstruct {", "line 2: '{' found instead of the name of a struct"),
        ("struct A.b {}", "line 1: \"A.b\" found instead of the name of a struct"),
        ("struct A {\n 1 i32 a }", "line 2: \"i32\" found instead of ':'"),
        ("struct A { 1: }", "line 1: '}' found instead of a type"),
        ("struct A { 1: i32 }", "line 1: '}' found instead of the name of a field"),
        ("struct A {\n", "line 2: the end found instead of a type"),
        ("struct A { 40000: i32 a }", "line 1: 40000 does not fit 16 bits"),
        ("struct A { 1: i32 a\n1: i32 b }", "line 2: field id 1 is twice in \"A\""),
        ("struct A { 1: i32 a\n2: i32 a }", "line 2: field \"a\" is twice in \"A\""),
        ("struct A {}\nenum A {}", "line 2: \"A\" is defined before, in line 1"),
        ("struct A { 1: i32 a = }", "line 1: '}' found instead of a value"),
        ("struct A { 1: map<i32> a }", "line 1: '>' found instead of ','"),
        ("enum E { A\nA }", "line 2: \"A\" is twice in one enum"),
        ("enum E { A = 2147483647, B }", "line 1: \"B\" is out of 32 bits"),
        ("enum E { A = 0x80000000 }", "line 1: 2147483648 does not fit 32 bits"),
        ("enum E { A = 'x' }", "line 1: a literal found instead of the number of a name"),
        ("service S { void f(", "line 1: a service has no end"),
        ("struct A {} (x = 1)", "line 1: 1 found instead of the literal of an annotation"),
        ("include shared", "line 1: \"shared\" found instead of the path of a file"),
        ("@Deprecated struct A {}", "line 1: '@' has no meaning here"),
        (&deep, "line 1: a type is nested deeper than 64"),
        (&value, "line 1: a value is nested deeper than 64"),
    ] {
        let e = ThriftType::try_new(text, "A").unwrap_err().to_string();
        assert_eq!(e, format!("malformed: IDL, {wanted}"), "{text}");
    }
}

#[test]
fn names_that_lead_nowhere_are_told() {
    for (text, wanted) in [
        ("struct A {} exception B {} union U {}", "invalid: no struct \"R\": there are A, B"),
        ("union R { 1: i32 a }", "invalid: \"R\" is a union: rows must be structs"),
        ("enum R { A }", "invalid: \"R\" is not a struct"),
        ("const i32 R = 1", "invalid: \"R\" is not a struct"),
        ("struct R {\n1: Point p }", "malformed: IDL, line 2: no type \"Point\""),
        ("struct R { 1: b.Point p }", "malformed: IDL, line 1: no type \"b.Point\""),
        ("const i32 A = 1\nstruct R { 1: A p }", "malformed: IDL, line 2: \"A\" is no type"),
        ("struct R { 1: R r }", "unsupported: R is recursive, which columns cannot be: R.r > R"),
        (
            "typedef list<B> Bs struct B { 1: A a } struct A { 1: i32 n, 2: Bs bs } struct R { 1: A x }",
            "unsupported: A is recursive, which columns cannot be: A.bs > Bs > B.a > A",
        ),
        (
            "typedef T R typedef R T",
            "unsupported: R is recursive, which columns cannot be: R > T > R",
        ),
        ("union U {} struct R { 1: U u }", "unsupported: union U has 0 members, not 1 to 128"),
        (
            "include 'a.thrift' struct R {}",
            "invalid: IDL, line 1: \"a.thrift\" is included, but a text without a path has no others",
        ),
    ] {
        assert_eq!(ThriftType::try_new(text, "R").unwrap_err().to_string(), wanted, "{text}");
    }
}

#[test]
fn defaults_must_be_of_their_type() {
    for (field, wanted) in [
        ("i8 a = 128", "128 is no value of type i8"),
        ("string a = 1", "1 is no value of type string"),
        ("bool a = 2", "2 is no value of type bool"),
        ("i32 a = NOTHING", "NOTHING is no value of type i32"),
        ("E a = E.B", "E.B is no value of type E"),
        ("list<i32> a = {}", "a map is no value of type list"),
        ("list<i32> a = [1, 'x']", "\"x\" is no value of type i32"),
        ("uuid a = '1234'", "\"1234\" is no value of type uuid"),
        ("P a = {}", "P needs its field \"x\""),
        ("P a = {'z': 1}", "P has no field \"z\""),
        ("P a = {1: 1}", "the key of a struct's field is no literal"),
        ("U a = {}", "union U must have one member"),
        ("U a = {'n': 1, 's': ''}", "union U must have one member"),
        ("i32 a = LOOP", "constants lead to each other more than 64 times"),
    ] {
        let text = format!(
            "enum E {{ A }} struct P {{ 1: required i32 x }} union U {{ 1: i32 n, 2: string s }}
            const i32 LOOP = LOOP struct R {{ 1: {field} }}"
        );
        let e = ThriftType::try_new(&text, "R").unwrap_err().to_string();
        assert_eq!(e, format!("malformed: IDL, line 2: {wanted}"));
    }
}

#[test]
fn a_few_lines_do_not_become_very_large() {
    let mut wide = String::from("struct S0 { 1: i32 a }");
    let mut consts = String::from("const X C0 = []");
    for n in 1..60 {
        wide += &format!(" struct S{n} {{ 1: S{0} a, 2: S{0} b }}", n - 1);
        consts += &format!(" const X C{n} = [C{0}, C{0}]", n - 1);
    }
    let e = ThriftType::try_new(&format!("{wide} struct R {{ 1: S59 a }}"), "R").unwrap_err();
    let wanted = "struct S15 has 98303 types within it, up to 16 deep: 65536 and 64 are the most";
    assert_eq!(e.to_string(), format!("unsupported: {wanted}"));
    let lists = format!("{}i32{}", "list<".repeat(30), ">".repeat(30));
    let text = format!("{consts} struct R {{ 1: {lists} a = C25 }}");
    let e = ThriftType::try_new(&text, "R").unwrap_err().to_string();
    assert_eq!(e, "unsupported: defaults of more than 16 MB");
    let fields: String = (0..1000).map(|n| format!("{n}: i32 f{n};")).collect();
    let empty = "{},".repeat(10_000);
    let text = format!("struct P {{ {fields} }} struct R {{ 1: list<P> a = [{empty}] }}");
    let e = ThriftType::try_new(&text, "R").unwrap_err().to_string();
    assert_eq!(e, "unsupported: defaults of more than 16 MB");
}

#[test]
fn files_are_included_once_and_in_no_circle() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    put(
        "a.thrift",
        "include 'sub/b.thrift' include 'c.thrift' struct R { 1: b.B b, 2: c.C c = c.ONE }",
    );
    put("sub/b.thrift", "include '../c.thrift' struct B { 1: c.C c = c.C.TWO }");
    put("c.thrift", "enum C { ONE, TWO } const C ONE = 0 struct R { 1: i32 of_c }");
    put("x.thrift", "include 'y.thrift' struct R {}");
    put("y.thrift", "include 'x.thrift'");
    put("sub/c.thrift", "");
    put("two.thrift", "include 'c.thrift'\ninclude 'sub/c.thrift'");
    put("bad.thrift", "include 'worse.thrift'");
    put("worse.thrift", "\n\nstruct");
    let load = |name: &str, of: &str| ThriftType::load(&folder.path().join(name), of);
    load("a.thrift", "R").unwrap();
    load("a.thrift", "c.R").unwrap();
    for (name, wanted) in [
        (
            "x.thrift",
            "malformed: files include each other: x.thrift > y.thrift > x.thrift".to_owned(),
        ),
        ("two.thrift", "malformed: two.thrift, line 2: two files are included as \"c\"".to_owned()),
        (
            "bad.thrift",
            "malformed: worse.thrift, line 3: the end found instead of the name of a struct"
                .to_owned(),
        ),
        (
            "none.thrift",
            format!(
                "invalid: {}: No such file or directory (os error 2)",
                folder.path().join("none.thrift").display()
            ),
        ),
    ] {
        assert_eq!(load(name, "R").unwrap_err().to_string(), wanted);
    }
}
