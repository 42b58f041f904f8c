//! A string that may also be something else.

use std::borrow::Cow;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A string borrowed from the line where it holds no escapes. Any other value reads as an empty string, so that
/// one odd field does not cost the whole line.
#[derive(Debug, Default)]
pub(super) struct Text<'a>(pub(super) Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor).map(Text)
    }
}

/// A flag; any other value reads as `false`.
#[derive(Debug, Default)]
pub(super) struct Flag(pub(super) bool);

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FlagVisitor).map(Flag)
    }
}

/// The visits that every lenient value answers with its default; `open` leaves objects and lists to the value.
macro_rules! otherwise_default {
    ($value:ty) => {
        otherwise_default!(open $value);
        fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<$value, A::Error> {
            while items.next_element::<IgnoredAny>()?.is_some() {}
            Ok(<$value>::default())
        }
        fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<$value, A::Error> {
            while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok(<$value>::default())
        }
    };
    (open $value:ty) => {
        fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            formatter.write_str("any value")
        }
        fn visit_i64<E>(self, _: i64) -> Result<$value, E> {
            Ok(<$value>::default())
        }
        fn visit_u64<E>(self, _: u64) -> Result<$value, E> {
            Ok(<$value>::default())
        }
        fn visit_f64<E>(self, _: f64) -> Result<$value, E> {
            Ok(<$value>::default())
        }
        fn visit_unit<E>(self) -> Result<$value, E> {
            Ok(<$value>::default())
        }
    };
}

/// Defines a struct that any value can be read as: an object gives it its fields, the last one of a name wins, and
/// everything else reads as the default. So one odd field does not cost the whole line, nor a second pass over it.
macro_rules! lenient_struct {
    ($(#[$about:meta])* struct $name:ident { $($field:ident: $kind:ty = $key:literal,)* }) => {
        $(#[$about])*
        #[derive(Debug, Default)]
        pub(super) struct $name<'a> { $(pub(super) $field: $kind,)* }

        impl<'de: 'a, 'a> Deserialize<'de> for $name<'a> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct ObjectVisitor<'a>(std::marker::PhantomData<&'a ()>);
                impl<'de: 'a, 'a> Visitor<'de> for ObjectVisitor<'a> {
                    type Value = $name<'a>;
                    otherwise_default!(open $name<'a>);
                    fn visit_bool<E>(self, _: bool) -> Result<$name<'a>, E> {
                        Ok($name::default())
                    }
                    fn visit_str<E>(self, _: &str) -> Result<$name<'a>, E> {
                        Ok($name::default())
                    }
                    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<$name<'a>, A::Error> {
                        while items.next_element::<IgnoredAny>()?.is_some() {}
                        Ok($name::default())
                    }
                    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<$name<'a>, A::Error> {
                        let mut read = $name::default();
                        while let Some(Text(key)) = entries.next_key::<Text<'de>>()? {
                            match key.as_ref() {
                                $($key => read.$field = entries.next_value()?,)*
                                _ => {
                                    entries.next_value::<IgnoredAny>()?;
                                }
                            }
                        }
                        Ok(read)
                    }
                }
                deserializer.deserialize_any(ObjectVisitor(std::marker::PhantomData))
            }
        }
    };
}
pub(super) use {lenient_struct, otherwise_default};

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Cow<'de, str>;
    otherwise_default!(Cow<'de, str>);

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(text))
    }
    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(text.to_owned()))
    }
    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Cow::default())
    }
}

struct FlagVisitor;

impl<'de> Visitor<'de> for FlagVisitor {
    type Value = bool;
    otherwise_default!(bool);

    fn visit_bool<E>(self, flag: bool) -> Result<bool, E> {
        Ok(flag)
    }
    fn visit_str<E>(self, _: &str) -> Result<bool, E> {
        Ok(false)
    }
}
