//! The part of ert.h and ert_text.h that main.rs uses, declared by hand, and owners for it.
//!
//! SPDX-License-Identifier: Apache-2.0
use std::alloc::{alloc_zeroed, dealloc, handle_alloc_error, Layout};
use std::ffi::CStr;
use std::fmt;
use std::mem::{size_of, zeroed};
use std::os::raw::{c_char, c_void};
use std::ptr::{null, null_mut};

const ALIGN: usize = 64; // ERT_BLOB_ALIGN, ERT_ARENA_ALIGN
const OK: i32 = 0;
const CLASSIFY: u32 = 2; // ERT_TEXT_CLASSIFY

#[repr(C)]
struct RawModel([u64; 16]);
#[repr(C)]
struct RawContext([u64; 64]);
#[repr(C)]
struct RawText([u64; 80]);
#[repr(C)]
struct Region {
    base: *mut c_void,
    bytes: usize,
}
#[repr(C)]
struct MemoryNeed {
    struct_size: u32,
    alignment: u32,
    bytes: usize,
    activation_bytes: usize,
    scratch_bytes: usize,
    table_bytes: usize,
}
#[repr(C)]
struct DimInfo {
    struct_size: u32,
    name: *const c_char,
    min: i32,
    max: i32,
}
#[repr(C)]
struct TaskInfo {
    struct_size: u32,
    task: u32,
    labels: u32,
    vector: u32,
    max_tokens: u32,
    independent: u32,
}
#[repr(C)]
struct Question {
    struct_size: u32,
    top: u32,
    text: *const c_void,
    bytes: usize,
    pair: *const c_void,
    pair_bytes: usize,
    labels: *const c_void,
    label_count: u32,
    multi_label: u32,
    hypothesis: *const c_char,
    hypothesis_bytes: usize,
}
#[repr(C)]
#[derive(Clone, Copy)]
struct Scored {
    label: u32,
    score: f32,
    start: u32,
    end: u32,
}
#[repr(C)]
struct Answer {
    struct_size: u32,
    capacity: u32,
    vector: *mut f32,
    scored: *mut Scored,
    count: u32,
    truncated: u32,
    tokens: u32,
    runs: u32,
}

extern "C" {
    fn ert_status_str(status: i32) -> *const c_char;
    fn ert_model_open(model: *mut RawModel, blob: *const c_void, bytes: usize) -> i32;
    fn ert_model_dim(model: *const RawModel, i: u32, out: *mut DimInfo) -> i32;
    fn ert_arena_bytes(model: *const RawModel, config: *const c_void, dims: *const i32, out: *mut MemoryNeed) -> i32;
    fn ert_context_init(context: *mut RawContext, model: *const RawModel, config: *const c_void, dims: *const i32, regions: *const Region, count: u32) -> i32;
    fn ert_text_open(text: *mut RawText, model: *const RawModel) -> i32;
    fn ert_text_task_of(text: *const RawText, model: *const RawModel, out: *mut TaskInfo) -> i32;
    fn ert_text_label(text: *const RawText, i: u32, name: *mut *const c_char, bytes: *mut usize) -> i32;
    fn ert_text_run_bytes(text: *const RawText, context: *const RawContext, max_bytes: usize, max_pair_bytes: usize, need: *mut usize) -> i32;
    fn ert_text_run(context: *mut RawContext, text: *const RawText, question: *const Question, work: *mut c_void, work_bytes: usize, answer: *mut Answer) -> i32;
}

/// What ert refused, and while doing what.
#[derive(Debug)]
pub struct Refused {
    pub what: &'static str,
    pub status: i32,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let meaning = unsafe { CStr::from_ptr(ert_status_str(self.status)) }; // static storage, never NULL
        write!(f, "{}: {}", self.what, meaning.to_string_lossy())
    }
}

impl std::error::Error for Refused {}

fn demand(status: i32, what: &'static str) -> Result<(), Refused> {
    if status == OK {
        Ok(())
    } else {
        Err(Refused { what, status })
    }
}

/// Zeroed memory with the alignment of blobs and arenas.
struct Memory {
    data: *mut u8,
    layout: Layout,
}

impl Memory {
    fn new(bytes: usize) -> Memory {
        let layout = Layout::from_size_align(bytes.max(1), ALIGN).expect("a size that memory can have");
        let data = unsafe { alloc_zeroed(layout) };
        if data.is_null() {
            handle_alloc_error(layout);
        }
        Memory { data, layout }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        unsafe { dealloc(self.data, self.layout) }
    }
}

/// A blob that classifies texts, with a context of its own: for one thread at a time, which `&mut self` demands.
pub struct Classifier {
    // Boxed: the library keeps addresses of the model and inside of the context. Fields are dropped in this order; the memory is the last.
    context: Box<RawContext>,
    text: Box<RawText>,
    scored: Vec<Scored>,
    work: Vec<u64>,
    max_text: usize,
    _model: Box<RawModel>,
    _arena: Memory,
    _blob: Memory,
}

impl Classifier {
    /// `bytes` is the content of a blob; texts have `max_text` bytes at most.
    pub fn new(bytes: &[u8], max_text: usize) -> Result<Classifier, Refused> {
        let blob = Memory::new(bytes.len());
        let mut model = Box::new(RawModel([0; 16]));
        let mut context = Box::new(RawContext([0; 64]));
        let mut text = Box::new(RawText([0; 80]));
        unsafe {
            blob.data.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            demand(ert_model_open(&mut *model, blob.data as *const c_void, bytes.len()), "open")?;
            demand(ert_text_open(&mut *text, &*model), "tokenizer")?;
            let mut task: TaskInfo = zeroed();
            task.struct_size = size_of::<TaskInfo>() as u32;
            demand(ert_text_task_of(&*text, &*model, &mut task), "task")?;
            if task.task != CLASSIFY {
                return Err(Refused { what: "the blob does not classify texts", status: 27 }); // ERT_ERR_UNSUPPORTED
            }
            let dims = dims_of_one_text(&model);
            let mut need: MemoryNeed = zeroed();
            need.struct_size = size_of::<MemoryNeed>() as u32;
            demand(ert_arena_bytes(&*model, null(), dims.as_ptr(), &mut need), "memory")?;
            let arena = Memory::new(need.bytes);
            let region = Region { base: arena.data as *mut c_void, bytes: need.bytes };
            demand(ert_context_init(&mut *context, &*model, null(), dims.as_ptr(), &region, 1), "context")?;
            let mut work = 0;
            demand(ert_text_run_bytes(&*text, &*context, max_text, 0, &mut work), "working memory")?;
            let scored = vec![Scored { label: 0, score: 0.0, start: 0, end: 0 }; task.labels as usize];
            Ok(Classifier { context, text, scored, work: vec![0; (work + 7) / 8], max_text, _model: model, _arena: arena, _blob: blob })
        }
    }

    /// The best label of a text, and its score. What is behind `max_text` bytes is not looked at.
    pub fn classify(&mut self, text: &str) -> Result<(String, f32), Refused> {
        unsafe {
            let mut question: Question = zeroed();
            question.struct_size = size_of::<Question>() as u32;
            question.text = text.as_ptr() as *const c_void;
            question.bytes = text.len().min(self.max_text);
            let mut answer: Answer = zeroed();
            answer.struct_size = size_of::<Answer>() as u32;
            answer.capacity = self.scored.len() as u32;
            answer.vector = null_mut();
            answer.scored = self.scored.as_mut_ptr();
            let work = self.work.as_mut_ptr() as *mut c_void;
            demand(ert_text_run(&mut *self.context, &*self.text, &question, work, self.work.len() * 8, &mut answer), "run")?;
            let (mut name, mut bytes) = (null(), 0);
            demand(ert_text_label(&*self.text, self.scored[0].label, &mut name, &mut bytes), "label")?;
            let label = std::slice::from_raw_parts(name as *const u8, bytes);
            Ok((String::from_utf8_lossy(label).into_owned(), self.scored[0].score))
        }
    }
}

/// One text at a time: the dim named batch is at its smallest, the others are as large as the model lets them be.
unsafe fn dims_of_one_text(model: &RawModel) -> Vec<i32> {
    let mut dims = Vec::new();
    loop {
        let mut dim: DimInfo = zeroed();
        dim.struct_size = size_of::<DimInfo>() as u32;
        if ert_model_dim(model, dims.len() as u32, &mut dim) != OK {
            return dims;
        }
        dims.push(if CStr::from_ptr(dim.name).to_bytes() == b"batch" { dim.min } else { dim.max });
    }
}
