// SPDX-License-Identifier: Apache-2.0
//! C ABI over Clarabel for the cone QP of one contact step; `clarabel_shim.h` states the contract.

use clarabel::algebra::{CscMatrix, TriangularMatrixChecks};
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SupportedConeT};
use std::any::Any;
use std::ffi::c_char;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::slice;
use std::sync::Once;

pub const SOLVED: i32 = 1;
pub const BAD_INPUT: i32 = 100;
pub const PANIC: i32 = 101;

/// Mirrors `repose_clarabel_settings`.
#[repr(C)]
pub struct Settings {
    pub tol_gap_abs: f64,
    pub tol_gap_rel: f64,
    pub tol_feas: f64,
    pub max_iter: u32,
}

/// Mirrors `repose_clarabel_info`.
#[repr(C)]
#[derive(Default)]
pub struct Info {
    pub status: i32,
    pub iterations: u32,
    pub r_prim: f64,
    pub r_dual: f64,
    pub gap_abs: f64,
    pub gap_rel: f64,
}

/// The opaque `repose_clarabel`.
pub struct Handle {
    solver: DefaultSolver<f64>,
    nnz: usize,
    variables: usize,
    poisoned: bool, // a panic may have left the solver half updated
}

/// # Safety
/// Pointers must be null or valid for the sizes given in `clarabel_shim.h`.
#[no_mangle]
pub unsafe extern "C" fn repose_clarabel_create(
    n: usize,
    p_colptr: *const usize,
    p_rowval: *const usize,
    p_nzval: *const f64,
    contacts: usize,
    mu: *const f64,
    settings: *const Settings,
    error: *mut c_char,
    error_size: usize,
) -> *mut Handle {
    silence_panic_messages();
    let made = catch_unwind(AssertUnwindSafe(|| {
        if p_colptr.is_null() || settings.is_null() {
            return Err("null pointer".to_string());
        }
        let colptr = slice::from_raw_parts(p_colptr, n + 1);
        let nnz = colptr[n];
        let rowval = slice_of(p_rowval, nnz)?;
        let nzval = slice_of(p_nzval, nnz)?;
        let p = CscMatrix::new(n, n, colptr.to_vec(), rowval.to_vec(), nzval.to_vec());
        make_handle(p, slice_of(mu, contacts)?, &*settings)
    }));
    match made {
        Ok(Ok(handle)) => Box::into_raw(Box::new(handle)),
        Ok(Err(reason)) => fail(&reason, error, error_size),
        Err(payload) => fail(&panic_text(payload), error, error_size),
    }
}

/// # Safety
/// `handle` comes from `repose_clarabel_create`; `p_nzval` is valid for `count` values.
#[no_mangle]
pub unsafe extern "C" fn repose_clarabel_update_p(
    handle: *mut Handle,
    p_nzval: *const f64,
    count: usize,
) -> i32 {
    let Some(handle) = handle.as_mut() else {
        return BAD_INPUT;
    };
    let Ok(values) = slice_of(p_nzval, count) else {
        return BAD_INPUT;
    };
    if handle.poisoned {
        return PANIC;
    }
    if count != handle.nnz || !all_finite(values) {
        return BAD_INPUT;
    }
    let updated = catch_unwind(AssertUnwindSafe(|| handle.solver.update_P(&values.to_vec())));
    match updated {
        Ok(Ok(())) => SOLVED,
        Ok(Err(_)) => BAD_INPUT,
        Err(_) => {
            handle.poisoned = true;
            PANIC
        }
    }
}

/// # Safety
/// `handle` comes from `repose_clarabel_create`; `c` and `x` are valid for its number of variables.
#[no_mangle]
pub unsafe extern "C" fn repose_clarabel_solve(
    handle: *mut Handle,
    c: *const f64,
    x: *mut f64,
    info: *mut Info,
) -> i32 {
    let Some(info) = info.as_mut() else {
        return BAD_INPUT;
    };
    *info = Info { status: BAD_INPUT, ..Info::default() };
    let Some(handle) = handle.as_mut() else {
        return BAD_INPUT;
    };
    let (Ok(c), false) = (slice_of(c, handle.variables), x.is_null() && handle.variables > 0) else {
        return BAD_INPUT;
    };
    if handle.poisoned {
        info.status = PANIC;
    } else if all_finite(c) {
        match catch_unwind(AssertUnwindSafe(|| solve(&mut handle.solver, c))) {
            Ok(Some(found)) => {
                *info = found;
                if handle.variables > 0 {
                    slice::from_raw_parts_mut(x, handle.variables).copy_from_slice(&handle.solver.solution.x);
                }
            }
            Ok(None) => {} // the data update was refused: BAD_INPUT stands
            Err(_) => {
                handle.poisoned = true;
                info.status = PANIC;
            }
        }
    }
    info.status
}

/// # Safety
/// `handle` is null or comes from `repose_clarabel_create`, and is not used afterwards.
#[no_mangle]
pub unsafe extern "C" fn repose_clarabel_destroy(handle: *mut Handle) {
    if !handle.is_null() {
        // A panic in a destructor leaks what is left; there is nobody to tell.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(Box::from_raw(handle))));
    }
}

#[no_mangle]
pub extern "C" fn repose_clarabel_version() -> *const c_char {
    b"0.11.1\0".as_ptr().cast::<c_char>()
}

fn make_handle(p: CscMatrix<f64>, mu: &[f64], settings: &Settings) -> Result<Handle, String> {
    check_settings(settings)?;
    check_p(&p)?;
    if !mu.iter().all(|&mu| mu >= 0.0 && mu.is_finite()) {
        return Err("mu must be finite and >= 0".to_string());
    }
    let (a, cones) = cone_constraints(mu);
    if a.n != p.n {
        return Err(format!("P has {} columns, the contacts have {} variables", p.n, a.n));
    }
    let (q, b) = (vec![0.0; a.n], vec![0.0; a.m]);
    let solver = DefaultSolver::new(&p, &q, &a, &b, &cones, clarabel_settings(settings))
        .map_err(|error| error.to_string())?;
    Ok(Handle { solver, nnz: p.nzval.len(), variables: p.n, poisoned: false })
}

/// `s = −A x ∈ cones` with s = (μ n, t1, t2) for a contact with friction and s = n for one without.
fn cone_constraints(mu: &[f64]) -> (CscMatrix<f64>, Vec<SupportedConeT<f64>>) {
    let (mut rowval, mut nzval) = (Vec::new(), Vec::new());
    let mut cones = Vec::with_capacity(mu.len());
    for &mu in mu {
        let row = rowval.len(); // one entry a column and one a row, so far
        if mu > 0.0 {
            rowval.extend([row + 1, row + 2, row]); // columns t1, t2, n
            nzval.extend([-1.0, -1.0, -mu]);
            cones.push(SupportedConeT::SecondOrderConeT(3));
        } else {
            rowval.push(row);
            nzval.push(-1.0);
            cones.push(SupportedConeT::NonnegativeConeT(1));
        }
    }
    let size = rowval.len();
    (CscMatrix::new(size, size, (0..=size).collect(), rowval, nzval), cones)
}

fn clarabel_settings(settings: &Settings) -> DefaultSettings<f64> {
    DefaultSettings {
        max_iter: settings.max_iter,
        tol_gap_abs: settings.tol_gap_abs,
        tol_gap_rel: settings.tol_gap_rel,
        tol_feas: settings.tol_feas,
        verbose: false,
        max_threads: 1,
        direct_solve_method: "qdldl".to_string(), // serial: the same bits in every run
        presolve_enable: false,                   // presolve would forbid data updates
        equilibrate_enable: false,                // the caller scales; this would be fixed at the first P
        ..DefaultSettings::default()
    }
}

fn solve(solver: &mut DefaultSolver<f64>, c: &[f64]) -> Option<Info> {
    solver.update_q(&c.to_vec()).ok()?;
    solver.solve();
    Some(Info {
        status: solver.solution.status as i32,
        iterations: solver.solution.iterations,
        r_prim: solver.solution.r_prim,
        r_dual: solver.solution.r_dual,
        gap_abs: solver.info.gap_abs,
        gap_rel: solver.info.gap_rel,
    })
}

fn check_settings(settings: &Settings) -> Result<(), String> {
    let tolerances = [settings.tol_gap_abs, settings.tol_gap_rel, settings.tol_feas];
    if !tolerances.iter().all(|&tolerance| tolerance > 0.0) {
        return Err("tolerances must be > 0".to_string());
    }
    if settings.max_iter == 0 {
        return Err("max_iter must be >= 1".to_string());
    }
    Ok(())
}

fn check_p(p: &CscMatrix<f64>) -> Result<(), String> {
    p.check_format().map_err(|error| error.to_string())?;
    if !p.is_triu() {
        return Err("P must hold its upper triangle only".to_string());
    }
    if !all_finite(&p.nzval) {
        return Err("P has a value that is not finite".to_string());
    }
    Ok(())
}

fn all_finite(values: &[f64]) -> bool {
    values.iter().all(|value| value.is_finite())
}

unsafe fn slice_of<'a, T>(pointer: *const T, count: usize) -> Result<&'a [T], String> {
    match (pointer.is_null(), count) {
        (_, 0) => Ok(&[]),
        (true, _) => Err("null pointer".to_string()),
        (false, _) => Ok(slice::from_raw_parts(pointer, count)),
    }
}

/// This library's own copy of the Rust runtime would print to stderr; the status says it instead.
fn silence_panic_messages() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| std::panic::set_hook(Box::new(|_| {})));
}

fn panic_text(payload: Box<dyn Any + Send>) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .map(|text| text.to_string())
        .or_else(|| payload.downcast_ref::<String>().cloned());
    format!("panic in Clarabel: {}", text.unwrap_or_else(|| "no message".to_string()))
}

unsafe fn fail(reason: &str, error: *mut c_char, error_size: usize) -> *mut Handle {
    if !error.is_null() && error_size > 0 {
        let bytes = &reason.as_bytes()[..reason.len().min(error_size - 1)];
        std::ptr::copy_nonoverlapping(bytes.as_ptr().cast::<c_char>(), error, bytes.len());
        *error.add(bytes.len()) = 0;
    }
    std::ptr::null_mut()
}
