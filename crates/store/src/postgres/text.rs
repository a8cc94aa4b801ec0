//! Texts on their way to PostgreSQL, which keeps every character but NUL.
//!
//! NUL becomes U+0001 U+0001, and U+0001 becomes U+0001 U+0002. So every text comes back to the letter, texts sort as
//! they did, and one that begins with another still does.

use bytes::{BufMut, BytesMut};
use std::error::Error;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

const MARK: u8 = 1;

/// A text as a parameter, or as it was read.
#[derive(Debug)]
pub(super) struct Text<S>(pub(super) S);

impl<S: AsRef<str> + std::fmt::Debug> ToSql for Text<S> {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        escape(self.0.as_ref(), out);
        Ok(IsNull::No)
    }

    fn accepts(ty: &Type) -> bool {
        <&str as ToSql>::accepts(ty)
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for Text<String> {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(plain(<&str>::from_sql(ty, raw)?)))
    }

    fn accepts(ty: &Type) -> bool {
        <&str as FromSql>::accepts(ty)
    }
}

fn escape(text: &str, out: &mut BytesMut) {
    let mut rest = text.as_bytes();
    while let Some(at) = rest.iter().position(|&byte| byte <= MARK) {
        out.put_slice(&rest[..at]);
        out.put_slice(&[MARK, MARK + rest[at]]);
        rest = &rest[at + 1..];
    }
    out.put_slice(rest);
}

/// The text as it was before it was kept.
pub(super) fn plain(kept: &str) -> String {
    if !kept.as_bytes().contains(&MARK) {
        return kept.to_owned();
    }
    let mut text = String::with_capacity(kept.len());
    let mut characters = kept.chars();
    while let Some(character) = characters.next() {
        match character {
            '\u{1}' if characters.next() == Some('\u{1}') => text.push('\0'),
            other => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(text: &str) -> String {
        let mut out = BytesMut::new();
        escape(text, &mut out);
        String::from_utf8(out.to_vec()).expect("text stays text")
    }

    #[test]
    fn every_text_comes_back_and_none_holds_nul() {
        for text in ["", "plain", "\0", "\u{1}", "\0\u{1}\0", "a\u{1}\u{2}b", "日本\0本", "\u{1}\u{1}"] {
            assert!(!kept(text).contains('\0'), "{text:?}");
            assert_eq!(plain(&kept(text)), text);
        }
    }

    #[test]
    fn the_order_and_the_beginnings_stay() {
        let texts =
            ["", "\0", "\0\0", "\0\u{1}", "\0a", "\u{1}", "\u{1}\0", "\u{2}", "a", "a\0", "a\u{1}", "ab"];
        for one in texts {
            for other in texts {
                assert_eq!(kept(one).cmp(&kept(other)), one.cmp(other), "{one:?} {other:?}");
                assert_eq!(kept(one).starts_with(&kept(other)), one.starts_with(other), "{one:?} {other:?}");
            }
        }
    }
}
