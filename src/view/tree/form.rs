//! Reading JSON by what is wanted of it, and keeping what is wrong with it.

use alloc::vec::Vec;
use core::cell::RefCell;
use core::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::token::Token;
use super::{Problem, TreeError};

/// The first error, with the part of its path that reading has come back through: an error of serde cannot carry it.
#[derive(Debug, Default)]
pub struct Trace(RefCell<Option<TreeError>>);

impl Trace {
    /// What went wrong, after reading failed.
    pub fn take(&self) -> Option<TreeError> {
        self.0.borrow_mut().take()
    }

    /// The error of a deserializer for a problem, which is kept.
    pub(super) fn fail<T, E: Error>(&self, error: impl Into<TreeError>) -> Result<T, E> {
        let error = error.into();
        let message = E::custom(&error);
        *self.0.borrow_mut() = Some(error);
        Err(message)
    }

    /// The same result of something that is a step further in: its error gets the step.
    pub(super) fn step<T, E>(&self, result: Result<T, E>, step: impl FnOnce(TreeError) -> TreeError) -> Result<T, E> {
        if result.is_err() {
            let mut kept = self.0.borrow_mut();
            let error = kept.take().unwrap_or_else(|| Problem::Json.into());
            *kept = Some(step(error));
        }
        result
    }
}

/// What is wanted of a value of JSON, and what becomes of it.
pub(super) trait Form: Sized {
    type Out;

    /// A value that is neither array nor object, or one that is and is not wanted.
    fn token(self, token: Token<'_>) -> Result<Self::Out, Problem>;

    fn list<'de, A: SeqAccess<'de>>(self, _: A, trace: &Trace) -> Result<Self::Out, A::Error> {
        self.token(Token::Array).or_else(|problem| trace.fail(problem))
    }

    fn object<'de, A: MapAccess<'de>>(self, _: A, trace: &Trace) -> Result<Self::Out, A::Error> {
        self.token(Token::Object).or_else(|problem| trace.fail(problem))
    }

    fn read<'de, D: Deserializer<'de>>(self, trace: &Trace, json: D) -> Result<Self::Out, D::Error> {
        Formed { form: self, trace }.deserialize(json)
    }
}

/// Reads a value of a form.
pub(super) struct Formed<'t, F> {
    pub(super) form: F,
    pub(super) trace: &'t Trace,
}

impl<F: Form> Formed<'_, F> {
    fn token<E: Error>(self, token: Token<'_>) -> Result<F::Out, E> {
        self.form.token(token).or_else(|problem| self.trace.fail(problem))
    }
}

impl<'de, F: Form> DeserializeSeed<'de> for Formed<'_, F> {
    type Value = F::Out;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<F::Out, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de, F: Form> Visitor<'de> for Formed<'_, F> {
    type Value = F::Out;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<F::Out, E> {
        self.token(Token::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<F::Out, E> {
        self.token(Token::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<F::Out, E> {
        self.token(Token::Whole(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<F::Out, E> {
        self.token(Token::Whole(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<F::Out, E> {
        self.token(Token::Double(value))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<F::Out, E> {
        self.token(Token::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<F::Out, A::Error> {
        self.form.list(list, self.trace)
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<F::Out, A::Error> {
        self.form.object(members, self.trace)
    }
}

/// One value.
#[derive(Clone, Copy)]
pub(super) struct One<F>(pub(super) F);

impl<T, F: Fn(Token<'_>) -> Result<T, Problem>> Form for One<F> {
    type Out = T;

    fn token(self, token: Token<'_>) -> Result<T, Problem> {
        (self.0)(token)
    }
}

/// A vector of values of a form.
pub(super) struct Each<F>(pub(super) F);

impl<F: Form + Copy> Form for Each<F> {
    type Out = Vec<F::Out>;

    fn token(self, token: Token<'_>) -> Result<Self::Out, Problem> {
        Err(token.is_not("a vector's array"))
    }

    fn list<'de, A: SeqAccess<'de>>(self, mut list: A, trace: &Trace) -> Result<Self::Out, A::Error> {
        let mut all = Vec::new();
        loop {
            let next = list.next_element_seed(Formed { form: self.0, trace });
            match trace.step(next, |error| error.element(all.len()))? {
                Some(element) => all.push(element),
                None => return Ok(all),
            }
        }
    }
}
