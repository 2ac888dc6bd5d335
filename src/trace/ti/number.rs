//! Parsers of single arguments.
//!
//! They skip the blanks before a word and stop at its end. A missing word is a recoverable error of nom, so that `opt`
//! accepts it; a malformed word is a failure. Plain digits, which nearly all arguments are, have a fast path.

use nom::IResult;
use nom::error::{ErrorKind, ParseError};

use crate::trace::error::ArgumentProblem as Problem;
use crate::trace::{Datatype, UNKNOWN_COUNT};

/// An invalid argument: its position, its name, the problem.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Fault<'a> {
    /// The line from the word on; its empty end if the word is missing.
    pub at: &'a [u8],
    /// Name of the argument.
    pub argument: &'static str,
    /// The problem with it.
    pub problem: Problem,
}

/// Result of a parser of arguments.
pub(super) type Res<'a, T> = IResult<&'a [u8], T, Fault<'a>>;

impl<'a> ParseError<&'a [u8]> for Fault<'a> {
    fn from_error_kind(input: &'a [u8], _: ErrorKind) -> Self {
        Fault { at: input, argument: "argument", problem: Problem::NotANumber }
    }

    fn append(_: &'a [u8], _: ErrorKind, other: Self) -> Self {
        other
    }
}

/// Largest count, tag and rank: they are signed 32-bit integers in MPI.
const MOST: u64 = i32::MAX as u64;

#[inline]
pub(super) fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t' || byte == b'\r'
}

/// Returns the text from its first byte that is not blank.
#[inline]
pub(super) fn skip_blanks(text: &[u8]) -> &[u8] {
    let mut rest = text;
    while let [first, tail @ ..] = rest
        && is_blank(*first)
    {
        rest = tail;
    }
    rest
}

/// Splits the first word off; it is empty at the end of the line.
#[inline]
pub(super) fn split_word(text: &[u8]) -> (&[u8], &[u8]) {
    let text = skip_blanks(text);
    let mut end = 0;
    while end < text.len() && !is_blank(text[end]) {
        end += 1;
    }
    text.split_at(end)
}

/// Reads a whole word of at most 18 digits.
#[inline]
fn digits(text: &[u8]) -> Option<(&[u8], u64)> {
    let mut value = 0u64;
    let mut end = 0;
    while end < text.len() {
        let digit = text[end].wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        end += 1;
    }
    // A longer word wraps around, but its value is not used.
    let whole = (1..=18).contains(&end) && text.get(end).is_none_or(|&byte| is_blank(byte));
    whole.then(|| (&text[end..], value))
}

/// Returns the rank at the start of a line. It has no leading zeros: SimGrid compares ranks as text.
#[inline]
pub(super) fn leading_rank(text: &[u8]) -> Option<(&[u8], u64)> {
    digits(text).filter(|(rest, _)| text[0] != b'0' || text.len() - rest.len() == 1)
}

#[cold]
pub(super) fn missing<'a, T>(end: &'a [u8], argument: &'static str) -> Res<'a, T> {
    Err(nom::Err::Error(Fault { at: end, argument, problem: Problem::Missing }))
}

#[cold]
fn wrong<'a, T>(text: &'a [u8], argument: &'static str, problem: Problem) -> Res<'a, T> {
    Err(nom::Err::Failure(Fault { at: skip_blanks(text), argument, problem }))
}

/// Returns a decimal integer from 0 to 2^31 - 1: ranks, tags, roots, and the entries of count vectors.
#[inline]
pub(super) fn integer<'a>(argument: &'static str) -> impl Fn(&'a [u8]) -> Res<'a, u32> {
    move |text| {
        let text = skip_blanks(text);
        match digits(text) {
            Some((rest, value)) if value <= MOST => Ok((rest, value as u32)),
            Some(_) => wrong(text, argument, Problem::TooLarge),
            None if text.is_empty() => missing(text, argument),
            None => not_digits(text, argument),
        }
    }
}

/// Returns the reason why a word is not an integer.
#[cold]
fn not_digits<'a>(text: &'a [u8], argument: &'static str) -> Res<'a, u32> {
    let (word, rest) = split_word(text);
    let (negative, unsigned) = match word.strip_prefix(b"-") {
        Some(unsigned) => (true, unsigned),
        None => (false, word),
    };
    if unsigned.is_empty() || !unsigned.iter().all(u8::is_ascii_digit) {
        return wrong(text, argument, Problem::NotAnInteger);
    }
    // Any number of leading zeros is harmless here.
    let significant = unsigned.iter().position(|&b| b != b'0').map_or(&[][..], |first| &unsigned[first..]);
    match (significant.is_empty(), negative, digits(significant)) {
        (true, _, _) => Ok((rest, 0)),
        (false, true, _) => wrong(text, argument, Problem::Negative),
        (false, false, Some((_, value))) if value <= MOST => Ok((rest, value as u32)),
        _ => wrong(text, argument, Problem::TooLarge),
    }
}

/// Returns a tag: an integer from 0.
#[inline]
pub(super) fn tag<'a>(text: &'a [u8]) -> Res<'a, i32> {
    let (rest, value) = integer("tag")(text)?;
    Ok((rest, value as i32))
}

/// Returns a number of elements. SimGrid reads it as a floating-point number and truncates, so `1e6` is legal.
#[inline]
pub(super) fn count<'a>(argument: &'static str) -> impl Fn(&'a [u8]) -> Res<'a, u32> {
    move |text| {
        let text = skip_blanks(text);
        match digits(text) {
            Some((rest, value)) if value <= MOST => Ok((rest, value as u32)),
            _ => {
                let (rest, value) = truncated(text, argument)?;
                if value < 0.0 { wrong(text, argument, Problem::Negative) } else { Ok((rest, value as u32)) }
            }
        }
    }
}

/// Returns the count of a receive, where -1 means a message of any size.
#[inline]
pub(super) fn capacity<'a>(text: &'a [u8]) -> Res<'a, u32> {
    const NAME: &str = "capacity";
    let text = skip_blanks(text);
    match digits(text) {
        Some((rest, value)) if value <= MOST => Ok((rest, value as u32)),
        _ => match truncated(text, NAME)? {
            (rest, -1.0) => Ok((rest, UNKNOWN_COUNT)),
            (_, value) if value < 0.0 => wrong(text, NAME, Problem::Negative),
            (rest, value) => Ok((rest, value as u32)),
        },
    }
}

/// Returns a floating-point number without its fraction, not above the largest count.
#[cold]
fn truncated<'a>(text: &'a [u8], argument: &'static str) -> Res<'a, f64> {
    let (rest, value) = real(argument)(text)?;
    let value = value.trunc();
    if value > MOST as f64 { wrong(text, argument, Problem::TooLarge) } else { Ok((rest, value)) }
}

/// Returns an amount of work: finite, zero or more.
#[inline]
pub(super) fn flops<'a>(text: &'a [u8]) -> Res<'a, f64> {
    let (rest, value) = real("flops")(text)?;
    if value < 0.0 { wrong(text, "flops", Problem::Negative) } else { Ok((rest, value)) }
}

/// Returns a finite decimal number.
///
/// Numbers of at most 18 digits whose mantissa fits 53 bits and whose power of ten is exact take one multiplication or
/// division, which rounds correctly (Clinger, "How to read floating point numbers accurately", 1990). Others are passed
/// to the standard library, which returns the same value.
#[inline]
pub(super) fn real<'a>(argument: &'static str) -> impl Fn(&'a [u8]) -> Res<'a, f64> {
    move |text| {
        let text = skip_blanks(text);
        match short_real(text) {
            Some((rest, value)) => Ok((rest, value)),
            None => any_real(text, argument),
        }
    }
}

const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

#[inline]
fn short_real(text: &[u8]) -> Option<(&[u8], f64)> {
    let mut mantissa = 0u64;
    let mut at = 0;
    let mut run = |at: &mut usize| {
        let start = *at;
        while *at < text.len() {
            let digit = text[*at].wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit));
            *at += 1;
        }
        *at - start
    };
    let mut length = run(&mut at);
    let mut exponent = 0i32;
    if text.get(at) == Some(&b'.') {
        at += 1;
        let fraction = run(&mut at);
        length += fraction;
        exponent = -(fraction.min(100) as i32);
    }
    if length == 0 || length > 18 || mantissa > 1 << 53 {
        return None;
    }
    if let Some(b'e' | b'E') = text.get(at) {
        at += 1;
        let negative = match text.get(at) {
            Some(b'+') => {
                at += 1;
                false
            }
            Some(b'-') => {
                at += 1;
                true
            }
            _ => false,
        };
        let start = at;
        let mut written = 0i32;
        while let Some(digit) = text.get(at).map(|b| b.wrapping_sub(b'0'))
            && digit <= 9
        {
            written = written.wrapping_mul(10).wrapping_add(i32::from(digit));
            at += 1;
        }
        if !(1..=3).contains(&(at - start)) {
            return None;
        }
        exponent += if negative { -written } else { written };
    }
    if text.get(at).is_some_and(|&byte| !is_blank(byte)) {
        return None;
    }
    let mantissa = mantissa as f64;
    let value = match exponent {
        0 => mantissa,
        1..=22 => mantissa * TENS[exponent as usize],
        -22..0 => mantissa / TENS[exponent.unsigned_abs() as usize],
        _ => return None,
    };
    Some((&text[at..], value))
}

#[cold]
fn any_real<'a>(text: &'a [u8], argument: &'static str) -> Res<'a, f64> {
    let (word, rest) = split_word(text);
    if word.is_empty() {
        return missing(word, argument);
    }
    let value = std::str::from_utf8(word).ok().and_then(|word| word.parse::<f64>().ok());
    match value {
        Some(value) if value.is_finite() => Ok((rest, value)),
        Some(_) => wrong(text, argument, Problem::NotFinite),
        None => wrong(text, argument, Problem::NotANumber),
    }
}

/// Returns the id of a datatype.
#[inline]
pub(super) fn datatype<'a>(text: &'a [u8]) -> Res<'a, Datatype> {
    const NAME: &str = "datatype";
    let text = skip_blanks(text);
    if let Some((rest, value)) = digits(text)
        && let Some(datatype) = Datatype::from_id(value as i64)
    {
        return Ok((rest, datatype));
    }
    match split_word(text) {
        (b"", end) => missing(end, NAME),
        (b"-1", rest) => Ok((rest, Datatype::NULL)),
        (word, _) => {
            let unsigned = word.strip_prefix(b"-").unwrap_or(word);
            let integer = !unsigned.is_empty() && unsigned.iter().all(u8::is_ascii_digit);
            wrong(text, NAME, if integer { Problem::UnknownDatatype } else { Problem::NotAnInteger })
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn real_of(text: &str) -> Option<f64> {
        real("x")(text.as_bytes()).ok().filter(|(rest, _)| rest.is_empty()).map(|(_, value)| value)
    }

    #[test]
    fn reals_of_all_forms() {
        for text in
            ["0", "7", "3.52515e+06", "1e6", "1E-3", ".5", "5.", "+2", "-0.25", "9007199254740993", "1e22", "1e23"]
        {
            assert_eq!(real_of(text), text.parse().ok(), "{text}");
        }
        assert_eq!(real_of("123456789012345678901234567890"), Some(123456789012345678901234567890.0));
        assert_eq!(real_of("1e-400"), Some(0.0));
        for text in ["", ".", "e5", "1e", "1e+", "1.2.3", "1f", "0x10", "--1", "1e5 x", "nan", "inf", "1e309"] {
            assert_eq!(real_of(text), None, "{text}");
        }
    }

    #[test]
    fn integers_may_have_leading_zeros() {
        assert_eq!(integer("x")(b" 007 8"), Ok((&b" 8"[..], 7)));
        assert_eq!(integer("x")(b"0000000000000000000000000000012"), Ok((&b""[..], 12)));
        assert_eq!(integer("x")(b"-0\r"), Ok((&b"\r"[..], 0)));
    }

    #[test]
    fn counts_are_truncated() {
        assert_eq!(count("x")(b"2147483647.9"), Ok((&b""[..], i32::MAX as u32)));
        assert_eq!(count("x")(b"-0.9"), Ok((&b""[..], 0)));
        assert_eq!(capacity(b"-1.5"), Ok((&b""[..], UNKNOWN_COUNT)));
    }

    proptest! {
        /// The standard library is the second implementation.
        #[test]
        fn reals_are_rounded_correctly(text in "[0-9]{0,20}(\\.[0-9]{0,20})?([eE][+-]?[0-9]{1,4})?") {
            let expected = text.parse::<f64>().ok().filter(|value| value.is_finite());
            prop_assert_eq!(real_of(&text).map(f64::to_bits), expected.map(f64::to_bits));
        }
    }
}
