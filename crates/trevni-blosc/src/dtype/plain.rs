//! Parses and formats dtypes without fields.
//!
//! ```text
//! order      <  low byte first   >  high byte first   |  =  low byte first, or nothing to order
//! letter     b i u f c   and bytes: b1 i8 f2 c16      M8 m8   and perhaps a unit: M8[25us]
//!            S V         and bytes                    U       and code points
//! one letter ?  b B h H i I l L q Q p P  e f d F D  c
//! name       bool int64 uint8 float16 complex128  bytes80 str160 void96 (bits)  datetime64[ns]  intc double ...
//! ```

use super::{ByteOrder, Dtype, DtypeKind, MAX_SIZE, Unit};
use trevni::{Error, Result};

/// Letter, name and sizes of what has the sizes in its names.
const NUMBERS: [(char, &str, &[usize], DtypeKind); 5] = [
    ('b', "bool", &[1], DtypeKind::Bool),
    ('i', "int", &[1, 2, 4, 8], DtypeKind::Int),
    ('u', "uint", &[1, 2, 4, 8], DtypeKind::UInt),
    ('f', "float", &[2, 4, 8], DtypeKind::Float),
    ('c', "complex", &[8, 16], DtypeKind::Complex),
];

/// Letter, name and bytes of a unit of what has a length.
const STRINGS: [(char, &str, usize, DtypeKind); 4] = [
    ('S', "bytes", 1, DtypeKind::Bytes),
    ('U', "str", 4, DtypeKind::Unicode),
    ('V', "void", 1, DtypeKind::Void),
    ('a', "string", 1, DtypeKind::Bytes),
];

type DtypeOfUnit = fn(Unit) -> DtypeKind;

/// Letter and name of what has a unit of time.
const TIMES: [(char, &str, DtypeOfUnit); 2] =
    [('M', "datetime64", DtypeKind::DateTime), ('m', "timedelta64", DtypeKind::TimeDelta)];

const BASES: [&str; 13] = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"];

const GENERIC: &str = "generic";

/// One letter, or a name without a size; where C leaves the size open, it is that of 64-bit Unix.
#[rustfmt::skip]
const ALIASES: [(&str, &str); 49] = [
    ("?", "b1"), ("bool", "b1"), ("bool_", "b1"),
    ("b", "i1"), ("byte", "i1"), ("B", "u1"), ("ubyte", "u1"),
    ("h", "i2"), ("short", "i2"), ("H", "u2"), ("ushort", "u2"),
    ("i", "i4"), ("intc", "i4"), ("I", "u4"), ("uintc", "u4"),
    ("l", "i8"), ("long", "i8"), ("q", "i8"), ("longlong", "i8"), ("p", "i8"), ("intp", "i8"), ("int", "i8"),
    ("int_", "i8"),
    ("L", "u8"), ("ulong", "u8"), ("Q", "u8"), ("ulonglong", "u8"), ("P", "u8"), ("uintp", "u8"), ("uint", "u8"),
    ("e", "f2"), ("half", "f2"), ("f", "f4"), ("single", "f4"), ("d", "f8"), ("double", "f8"), ("float", "f8"),
    ("F", "c8"), ("csingle", "c8"), ("D", "c16"), ("cdouble", "c16"), ("complex", "c16"),
    ("c", "S1"), ("S", "S0"), ("bytes", "S0"), ("U", "U0"), ("str", "U0"), ("V", "V0"), ("void", "V0"),
];

/// Returns the type of a text.
pub(super) fn parse(text: &str) -> Result<Dtype> {
    let (order, rest) = match text.strip_prefix('>') {
        Some(rest) => (ByteOrder::Big, rest),
        None => (ByteOrder::Little, text.strip_prefix(['<', '|', '=']).unwrap_or(text)),
    };
    let spelled = ALIASES.iter().find(|(alias, _)| *alias == rest).map_or(rest, |(_, text)| text);
    let found = number(spelled).or_else(|| string(spelled)).or_else(|| time(spelled));
    let Some((kind, size)) = found else { return Err(refused(text, rest)) };
    if size > MAX_SIZE {
        return Err(Error::too_large("element", size as u64, MAX_SIZE as u64));
    }
    let mut dtype = Dtype { kind, order, size };
    if !is_ordered(&dtype) {
        dtype.order = ByteOrder::Little;
    }
    Ok(dtype)
}

/// Appends the text from which NumPy makes the type: `<i8`, `|S10`, `<M8[ns]`.
pub(super) fn put(dtype: &Dtype, out: &mut String) {
    out.push(match (is_ordered(dtype), dtype.order) {
        (false, _) => '|',
        (true, ByteOrder::Little) => '<',
        (true, ByteOrder::Big) => '>',
    });
    put_letter(dtype, out);
}

/// Appends the text that the type has within `str` of a record: `<i8`, `S10`, `?`.
pub(super) fn put_short(dtype: &Dtype, out: &mut String) {
    match &dtype.kind {
        DtypeKind::Bool => return out.push('?'),
        _ if is_ordered(dtype) => put(dtype, out),
        _ => put_letter(dtype, out),
    }
    if dtype.size == 0 {
        // NumPy leaves the 0 out.
        out.truncate(out.len() - 1);
    }
}

/// Appends the text that `str` of the type has: `int64`, `>i8`, `|S10`, `datetime64[ns]`.
pub(super) fn put_name(dtype: &Dtype, out: &mut String) {
    if dtype.order == ByteOrder::Big {
        return put(dtype, out);
    }
    let number = NUMBERS.iter().find(|(_, _, _, number)| *number == dtype.kind);
    match (&dtype.kind, number, time_of(dtype)) {
        (DtypeKind::Bool, ..) => out.push_str("bool"),
        (_, Some((_, name, ..)), _) => out.push_str(&format!("{name}{}", dtype.size * 8)),
        (_, _, Some((_, name, unit))) => {
            out.push_str(name);
            put_unit(unit, out);
        }
        _ => put(dtype, out),
    }
}

/// Returns whether its bytes have an order.
fn is_ordered(dtype: &Dtype) -> bool {
    match dtype.kind {
        DtypeKind::Bytes | DtypeKind::Void | DtypeKind::Record(_) => false,
        DtypeKind::Unicode => true,
        _ => dtype.size > 1,
    }
}

fn put_letter(dtype: &Dtype, out: &mut String) {
    if let Some((letter, _, unit)) = time_of(dtype) {
        out.push(letter);
        out.push('8');
        return put_unit(unit, out);
    }
    let kind = &dtype.kind;
    let number = NUMBERS.iter().find(|(.., number)| number == kind).map(|n| (n.0, 1));
    let string = STRINGS.iter().find(|(.., string)| string == kind).map(|s| (s.0, s.2));
    if let Some((letter, unit)) = number.or(string) {
        out.push_str(&format!("{letter}{}", dtype.size / unit));
    }
}

/// Letter, name and unit of a type that has a unit of time.
fn time_of(dtype: &Dtype) -> Option<(char, &'static str, &Unit)> {
    let (DtypeKind::DateTime(unit) | DtypeKind::TimeDelta(unit)) = &dtype.kind else { return None };
    let found = TIMES.iter().find(|(_, _, kind)| kind(unit.clone()) == dtype.kind);
    found.map(|(letter, name, _)| (*letter, *name, unit))
}

fn number(text: &str) -> Option<(DtypeKind, usize)> {
    NUMBERS.iter().find_map(|(letter, name, sizes, kind)| {
        let size = match text.strip_prefix(name) {
            Some(bits) => count(bits).filter(|bits| bits % 8 == 0)? / 8,
            None => count(text.strip_prefix(*letter)?)?,
        };
        sizes.contains(&size).then(|| (kind.clone(), size))
    })
}

fn string(text: &str) -> Option<(DtypeKind, usize)> {
    STRINGS.iter().find_map(|(letter, name, unit, kind)| {
        let units = match text.strip_prefix(name) {
            Some(bits) => count(bits).filter(|bits| bits % (8 * unit) == 0)? / (8 * unit),
            None => count(text.strip_prefix(*letter)?)?,
        };
        Some((kind.clone(), units.saturating_mul(*unit)))
    })
}

fn time(text: &str) -> Option<(DtypeKind, usize)> {
    TIMES.iter().find_map(|(letter, name, kind)| {
        let rest = text.strip_prefix(name).or_else(|| {
            let rest = text.strip_prefix(*letter)?;
            Some(rest.strip_prefix('8').unwrap_or(rest))
        })?;
        Some((kind(unit(rest)?), 8))
    })
}

fn unit(text: &str) -> Option<Unit> {
    if text.is_empty() {
        return Some(Unit { count: 1, base: GENERIC });
    }
    let text = text.strip_prefix('[')?.strip_suffix(']')?;
    if text == GENERIC {
        return Some(Unit { count: 1, base: GENERIC });
    }
    let base = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = text.strip_suffix(base)?;
    let base = if matches!(base, "μs" | "µs") { "us" } else { base };
    let base = BASES.into_iter().find(|known| *known == base)?;
    let count = if digits.is_empty() { 1 } else { digits.parse().ok()? };
    (1..=MAX_SIZE as u64).contains(&u64::from(count)).then_some(Unit { count, base })
}

fn put_unit(unit: &Unit, out: &mut String) {
    match (unit.base, unit.count) {
        (GENERIC, _) => {}
        (base, 1) => out.push_str(&format!("[{base}]")),
        (base, count) => out.push_str(&format!("[{count}{base}]")),
    }
}

/// Digits only: no sign, no blank.
fn count(digits: &str) -> Option<usize> {
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

fn refused(text: &str, rest: &str) -> Error {
    let shown: String = text.chars().take(60).collect();
    Error::unsupported(match rest {
        "O" | "O4" | "O8" | "object" | "object_" => {
            format!("dtype {shown:?}: objects are Python pickles, which are not read")
        }
        "g" | "G" | "longdouble" | "clongdouble" | "float96" | "float128" | "complex192"
        | "complex256" | "f12" | "f16" | "c24" | "c32" => {
            format!("dtype {shown:?}: long doubles differ from machine to machine")
        }
        "T" => format!("dtype {shown:?}: such strings are not in the array itself"),
        _ => format!("dtype {shown:?}"),
    })
}
