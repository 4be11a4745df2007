//! A prepared method's memory: each tensor's position and initial bytes.

use std::borrow::Cow;

use torchproof::layout::nbytes;
use torchproof::ptd::Ptd;
use torchproof::pte::schema::{Tensor, TensorDataLocation};
use torchproof::pte::{Method, Pte};

use super::error::{DerivedResult, absent, outside};

/// The size limit for a tensor in planned memory, which equals the adapters' buffer size.
const MOST: u64 = 256 << 20;

#[derive(Debug)]
pub(super) struct PlannedMemory<'f, 'a> {
    file: &'f Pte<'a>,
    data: &'f [Ptd<'a>],
    /// The initial bytes of tensors in planned memory, in the order of the writes. All other bytes are zero.
    written: Vec<(Place, &'a [u8])>,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    buffer: u32,
    offset: u64,
}

impl<'f, 'a> PlannedMemory<'f, 'a> {
    pub(super) fn of_method(file: &'f Pte<'a>, data: &'f [Ptd<'a>], method: Method<'a>) -> DerivedResult<Self> {
        let mut memory = PlannedMemory { file, data, written: Vec::new() };
        for tensor in method.tensors() {
            let (_, tensor) = tensor?;
            if let Some(place) = place(tensor)?
                && let Some(bytes) = memory.stored_bytes(tensor)?
            {
                memory.written.push((place, bytes));
            }
        }
        Ok(memory)
    }

    /// Returns a tensor's initial bytes, or `None` if the application provides the memory.
    pub(super) fn of(&self, tensor: Tensor<'a>) -> DerivedResult<Option<Cow<'a, [u8]>>> {
        match place(tensor)? {
            Some(place) => self.planned(place, size(tensor)?).map(|bytes| Some(bytes.into())),
            None => Ok(self.stored_bytes(tensor)?.map(Cow::from)),
        }
    }

    fn planned(&self, place: Place, size: u64) -> DerivedResult<Vec<u8>> {
        let too_much = || outside("Tensor.allocation_info", size, MOST);
        let len = usize::try_from(size).ok().filter(|_| size <= MOST).ok_or_else(too_much)?;
        let mut bytes = vec![0; len];
        for (other, written) in self.written.iter().filter(|(other, _)| other.buffer == place.buffer) {
            // `both` returns where the tensor and the write overlap, relative to the offset of either.
            let start = place.offset.max(other.offset);
            let end = place.offset.saturating_add(size).min(other.offset.saturating_add(written.len() as u64));
            let both = |from: u64| {
                let (start, end) = (start.checked_sub(from)?, end.checked_sub(from)?);
                Some(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
            };
            if start < end
                && let (Some(to), Some(from)) = (both(place.offset), both(other.offset))
            {
                bytes[to].copy_from_slice(&written[from]);
            }
        }
        Ok(bytes)
    }

    /// Returns the bytes that the program or a data file stores for the tensor.
    fn stored_bytes(&self, tensor: Tensor<'a>) -> DerivedResult<Option<&'a [u8]>> {
        let Some(extra) = tensor.extra_tensor_info()? else { return Ok(self.file.tensor_bytes(tensor)?) };
        if extra.location()? != TensorDataLocation::EXTERNAL {
            return Ok(self.file.tensor_bytes(tensor)?);
        }
        let Some(name) = extra.fully_qualified_name()? else { return Ok(None) };
        for file in self.data {
            if let Some(bytes) = file.tensor_bytes(name.as_bytes())? {
                return Ok(Some(bytes));
            }
        }
        Ok(None)
    }
}

fn place(tensor: Tensor<'_>) -> DerivedResult<Option<Place>> {
    let Some(place) = tensor.allocation_info()? else { return Ok(None) };
    let offset = u64::from(place.memory_offset_high()?) << 32 | u64::from(place.memory_offset_low()?);
    Ok(Some(Place { buffer: place.memory_id()?, offset }))
}

fn size(tensor: Tensor<'_>) -> DerivedResult<u64> {
    let sizes = tensor.sizes()?.ok_or_else(|| absent("Tensor.sizes"))?;
    Ok(nbytes(tensor.scalar_type()?, sizes)?)
}
