//! Tests that call the C interface as C programs do.

use super::*;

fn file() -> Vec<u8> {
    std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../corpus/real/linear.pte")).unwrap_or_default()
}

#[test]
fn null_pointers_and_zero_sizes_are_valid() {
    let mut file = file();
    let (at, size) = (file.as_mut_ptr(), file.len());
    let null = ptr::null_mut();
    // SAFETY: each pointer is null or points to as many bytes as its size says.
    unsafe {
        assert_eq!(LLVMFuzzerCustomMutator(null, 5, 5, 1), 0);
        assert_eq!(LLVMFuzzerCustomMutator(at, size, 0, 1), 0);
        assert_eq!(LLVMFuzzerCustomCrossOver(null, 0, null, 0, null, 0, 1), 0);
        assert_eq!(LLVMFuzzerCustomCrossOver(at, size, null, 0, null, 0, 1), 0);
        assert_eq!(torchproof_mutate(null, 0, 1, null, 0, ptr::null_mut(), 0), 0);
        assert_eq!(torchproof_mutate(at, size, 1, null, 0, ptr::null_mut(), 0), 0);
        assert_eq!(torchproof_generate(1, 0, null, 0), 0);
        assert_eq!(torchproof_generate(1, 1, null, 0), 0);
        assert_eq!(torchproof_check(null, 0), 0);
        assert_eq!(torchproof_check(at, size), 1);
        assert_eq!(torchproof_describe(at, size, None, ptr::null_mut()), 0);
        assert_eq!(torchproof_describe(null, 0, None, ptr::null_mut()), 1);
        assert_eq!(torchproof_pair_split(null, 0, null.cast(), null.cast(), null.cast(), null.cast()), 0);
        assert_eq!(afl_custom_fuzz(ptr::null_mut(), at, size, ptr::null_mut(), null, 0, 9), 0);
        afl_custom_deinit(ptr::null_mut());
    }
}

#[test]
fn mutates_in_place_within_the_buffer_and_by_seed() {
    let file = file();
    let mutant = |seed| {
        let mut data = file.clone();
        data.resize(file.len() + 100, 0xa5);
        // SAFETY: the buffer has 64 bytes more than `max_size`.
        let size = unsafe { LLVMFuzzerCustomMutator(data.as_mut_ptr(), file.len(), data.len() - 64, seed) };
        assert!(size <= data.len() - 64);
        assert_eq!(data[data.len() - 64..], [0xa5; 64]);
        data.truncate(size);
        data
    };
    let changed = (0..200).filter(|seed| {
        assert_eq!(mutant(*seed), mutant(*seed));
        mutant(*seed) != file
    });
    assert!(changed.count() > 190);
}

#[test]
fn afl_receives_a_pointer_for_every_input() {
    let mut file = file();
    let state = afl_custom_init(ptr::null_mut(), 7);
    let mut out = ptr::null_mut();
    let (mut repaired, mut sizes) = (0, Vec::new());
    for size in (0..file.len()).step_by(9) {
        // SAFETY: the state is valid, and the buffers have these sizes.
        unsafe {
            let made = afl_custom_fuzz(state, file.as_mut_ptr(), size, &raw mut out, file.as_mut_ptr(), size / 2, 700);
            assert!(!out.is_null() && made <= 700);
            sizes.push(bytes(out, made).to_vec());
            let made = afl_custom_post_process(state, file.as_mut_ptr(), size, &raw mut out);
            assert!(!out.is_null() && made == size);
            let result = bytes(out, made).to_vec();
            repaired += u32::from(result != file[..size]);
            // AFL++ passes the result of one call to the next call.
            for _ in 0..3 {
                assert_eq!(afl_custom_post_process(state, out, made, &raw mut out), made);
                assert_eq!(bytes(out, made), result);
            }
            let made = afl_custom_fuzz(state, out, made, &raw mut out, out, made, 700);
            let made = afl_custom_fuzz(state, out, made, &raw mut out, out, made, 700);
            assert!(!out.is_null() && made <= 700);
        }
    }
    assert!(repaired > 10, "{repaired}");
    assert!(sizes.windows(2).any(|two| two[0] != two[1]));
    // SAFETY: the state is not used afterward.
    unsafe { afl_custom_deinit(state) };
}

#[test]
fn findings_have_a_rule_a_path_and_bytes() {
    unsafe extern "C" fn receive(finding: *const TorchproofFinding, context: *mut c_void) {
        // SAFETY: the mutator passes valid pointers.
        let (finding, lines) = unsafe { (&*finding, &mut *context.cast::<Vec<String>>()) };
        let text = |text| unsafe { std::ffi::CStr::from_ptr(text) }.to_string_lossy().into_owned();
        let TorchproofFinding { offset, size, must, in_data, .. } = *finding;
        lines.push(format!("{} {} {offset}+{size} {must} {in_data}", text(finding.rule), text(finding.path)));
    }
    let mut file = file();
    file[12] = 23;
    let mut lines: Vec<String> = Vec::new();
    let context: *mut Vec<String> = &raw mut lines;
    // SAFETY: the buffer has this size, and the context is what the function expects.
    let count = unsafe { torchproof_describe(file.as_ptr(), file.len(), Some(receive), context.cast()) };
    assert_eq!((count, lines), (1, vec!["eh-length-min header.length 12+4 1 0".to_owned()]));
}

#[test]
fn a_panic_does_not_cross_the_boundary() {
    assert_eq!(guarded(5, || panic!("a test panics")), 5);
    assert_eq!(contract::PANICS.get(), 1);
}

#[test]
fn the_contract_holds_for_mutants_and_random_bytes() {
    let (mut input, mut random) = (file(), Vec::new());
    for seed in 0..60 {
        contract::run(&input);
        input = Mutator::new().mutate(&input, 4096, seed).bytes;
        // The last bytes determine the size limit.
        input.extend([0, 0, 0, 0, 0, u8::try_from(seed % 16).unwrap_or(0), 0, 0]);
        random.extend(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes());
        contract::run(&random);
    }
}
