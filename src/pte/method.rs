//! A program's methods, and their parts.

use super::Pte;
use super::schema::{BackendDelegate, EValue, ExecutionPlan, Instruction, KernelTypesValue, Operator, Tensor};
use crate::flatbuffer::schema::{Element, TableView};
use crate::flatbuffer::{Fault, Str, Vector};
use crate::{Error, ErrorCode, Stage};

/// A method of a program, returned by [`Pte::methods`].
///
/// Each iterator takes time linear in the number of its items. If a list in the file cannot be read, its iterator
/// returns the error as the only item.
#[derive(Clone, Copy, Debug)]
pub struct Method<'a>(ExecutionPlan<'a>);

impl<'a> Pte<'a> {
    /// Returns the program's methods, in file order.
    pub fn methods(&self) -> impl Iterator<Item = Result<Method<'a>, Error>> + use<'a> {
        each(self.program().execution_plan(), |plan| Ok(Method(plan?)))
    }
}

impl<'a> Method<'a> {
    /// Returns the table that describes the method.
    #[must_use]
    pub const fn plan(self) -> ExecutionPlan<'a> {
        self.0
    }

    /// Returns the method's name, such as `forward`.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorCode::Missing`] if the method has no name, or the fault if the access fails.
    pub fn name(self) -> Result<Str<'a>, Error> {
        self.0.name()?.ok_or_else(|| self.missing("ExecutionPlan.name"))
    }

    /// Returns the value with this index, for example an item of [`KernelCall::args`](super::schema::KernelCall::args).
    ///
    /// # Errors
    ///
    /// Returns [`ErrorCode::IndexOutOfRange`] if the method has no value with this index, or the fault if the access
    /// fails.
    pub fn value(self, index: i32) -> Result<EValue<'a>, Error> {
        const FIELD: &str = "ExecutionPlan.values";
        let values = self.0.values()?.ok_or_else(|| self.missing(FIELD))?;
        let found = usize::try_from(index).ok().and_then(|index| values.get(index));
        let out_of_range = || {
            let error = Error::new(ErrorCode::IndexOutOfRange, Stage::Method, self.0.table().span(), FIELD);
            error.measured(u64::from(index.cast_unsigned()), values.len() as u64)
        };
        Ok(found.ok_or_else(out_of_range)??)
    }

    /// Returns the inputs, in the order of the caller's arguments.
    pub fn inputs(self) -> impl Iterator<Item = Result<EValue<'a>, Error>> {
        each(self.0.inputs(), move |index| self.value(index))
    }

    /// Returns the outputs.
    pub fn outputs(self) -> impl Iterator<Item = Result<EValue<'a>, Error>> {
        each(self.0.outputs(), move |index| self.value(index))
    }

    /// Returns the tensors among the method's values, each with the index of its value. [`Pte::tensor_bytes`] returns
    /// the bytes of a tensor.
    pub fn tensors(self) -> impl Iterator<Item = Result<(usize, Tensor<'a>), Error>> {
        let values = each(self.0.values(), |value| Ok(value?.val()?)).enumerate();
        values.filter_map(|(index, value)| match value {
            Ok(Some(KernelTypesValue::Tensor(tensor))) => Some(Ok((index, tensor))),
            Ok(_) => None,
            Err(error) => Some(Err(error)),
        })
    }

    /// Returns the operators that kernel calls refer to by index.
    pub fn operators(self) -> impl Iterator<Item = Result<Operator<'a>, Error>> {
        each(self.0.operators(), table)
    }

    /// Returns the delegates that delegate calls refer to by index.
    pub fn delegates(self) -> impl Iterator<Item = Result<BackendDelegate<'a>, Error>> {
        each(self.0.delegates(), table)
    }

    /// Returns the instructions of all chains, in the order in which they run if there are no jumps.
    pub fn instructions(self) -> impl Iterator<Item = Result<Instruction<'a>, Error>> {
        let chains = each(self.0.chains(), |chain| Ok(chain?.instructions()?));
        chains.flat_map(|instructions: Result<Option<Vector<'a, _>>, Error>| each(instructions, table))
    }

    fn missing(self, field: &'static str) -> Error {
        Error::new(ErrorCode::Missing, Stage::Method, self.0.table().span(), field)
    }
}

fn table<T>(read: Result<T, Fault>) -> Result<T, Error> {
    Ok(read?)
}

/// If the list itself cannot be read, the only item is the error.
fn each<'a, T: Element<'a> + 'a, U: 'a>(
    list: Result<Option<Vector<'a, T>>, impl Into<Error>>,
    read: impl Fn(T::Item) -> Result<U, Error> + 'a,
) -> impl Iterator<Item = Result<U, Error>> + 'a {
    let (list, error) = match list {
        Ok(list) => (list, None),
        Err(error) => (None, Some(Err(error.into()))),
    };
    error.into_iter().chain(list.into_iter().flat_map(Vector::iter).map(read))
}
