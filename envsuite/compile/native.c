/* The part of a library of machine code besides compiled templates (see native.py).

   It is for all versions of Python from 3.11, whose stable interface has `Py_buffer`, and needs none of Python's headers.
   `envsuite_entry` makes a function for Python from a tuple: the word "dtype", the dtypes of the arguments, and the plan
   of a call. The plan has the address of the machine code, and for each argument the number of dimensions (-1: an
   integer), whether it is contiguous, and the inner dimensions (-1: any). */

#include <stdint.h>
#define PYTHON extern __attribute__((weak))
typedef struct {
    void *buf, *obj; intptr_t len, itemsize; int readonly, ndim; char *format;
    intptr_t *shape, *strides, *suboffsets; void *internal;
} Buffer;
PYTHON void *PyExc_TypeError, *PyExc_RuntimeError;
PYTHON void *PyTuple_GetItem(void *, intptr_t), *PyObject_GetAttr(void *, void *);
PYTHON void *PyLong_FromLongLong(long long), *PyErr_Occurred(void), *PyEval_SaveThread(void);
PYTHON void *PyErr_Format(void *, const char *, ...), *PyCFunction_NewEx(void *, void *, void *);
PYTHON char *PyBytes_AsString(void *);
PYTHON intptr_t PyTuple_Size(void *);
PYTHON int PyObject_GetBuffer(void *, Buffer *, int), PyBuffer_IsContiguous(const Buffer *, char);
PYTHON int PyObject_RichCompareBool(void *, void *, int), PyGILState_Ensure(void);
PYTHON long long PyLong_AsLongLong(void *);
PYTHON void PyBuffer_Release(Buffer *), PyEval_RestoreThread(void *), Py_DecRef(void *), PyGILState_Release(int);

int envsuite_level(void) { __builtin_cpu_init(); return __builtin_cpu_supports("x86-64-v3") != 0; }

void envsuite_raised(void) {
    int state = PyGILState_Ensure();
    PyErr_Format(PyExc_RuntimeError, "a kernel has raised an error, perhaps an index out of the range of a tuple");
    PyGILState_Release(state);
}

/* What Numba calls to reshape an array, here for contiguous ones; for others it gives an error. */
int numba_attempt_nocopy_reshape(
    intptr_t ndim, const intptr_t *shape, const intptr_t *strides,
    intptr_t new_ndim, const intptr_t *new_shape, intptr_t *new_strides, intptr_t itemsize, int fortran
) {
    intptr_t size = itemsize, new_size = itemsize;
    for (intptr_t k = ndim; k-- > 0; size *= shape[k]) if (fortran || (shape[k] != 1 && strides[k] != size)) return 0;
    for (intptr_t k = new_ndim; k-- > 0; new_size *= new_shape[k]) new_strides[k] = new_size;
    return size == new_size;
}

static int equal(void *array, void *name, void *expected) {
    void *dtype = PyObject_GetAttr(array, name);
    int same = dtype == expected ? 1 : dtype ? PyObject_RichCompareBool(dtype, expected, 2) : -1;
    if (dtype) Py_DecRef(dtype);
    return same;
}

static void *call(void *self, void *arguments) {
    void *name = PyTuple_GetItem(self, 0), *dtypes = PyTuple_GetItem(self, 1);
    const int64_t *plan = (const int64_t *)PyBytes_AsString(PyTuple_GetItem(self, 2));
    int64_t (*code)(int64_t *) = (int64_t (*)(int64_t *))*plan++;
    int64_t words[256], *word = words, result = 0;
    Buffer buffers[32], *buffer = buffers;
    intptr_t count = PyTuple_Size(dtypes);
    if (PyTuple_Size(arguments) != count)
        PyErr_Format(PyExc_TypeError, "%zd arguments are needed, not %zd", count, PyTuple_Size(arguments));
    for (intptr_t k = 0; k < count && !PyErr_Occurred(); k++) {
        void *argument = PyTuple_GetItem(arguments, k);
        int64_t ndim = *plan++;
        if (ndim < 0) {
            *word++ = PyLong_AsLongLong(argument);
            continue;
        }
        int same = equal(argument, name, PyTuple_GetItem(dtypes, k));
        if (same < 0 || PyObject_GetBuffer(argument, buffer, 0x19)) break; /* with strides, to write to */
        int64_t contiguous = *plan++;
        same &= buffer->ndim == ndim && (!contiguous || PyBuffer_IsContiguous(buffer, 'C'));
        for (int64_t d = 1; d < ndim; d++, plan++) same = same && (*plan < 0 || *plan == buffer->shape[d]);
        if (same) {
            *word++ = 0, *word++ = 0;
            *word++ = buffer->len / buffer->itemsize, *word++ = buffer->itemsize, *word++ = (int64_t)buffer->buf;
            for (int64_t d = 0; d < ndim; d++) *word++ = buffer->shape[d];
            for (int64_t d = 0; d < ndim; d++) *word++ = buffer->strides[d];
        } else PyErr_Format(PyExc_TypeError, "argument %zd is not an array of the form that this code is for", k);
        buffer++;
    }
    if (!PyErr_Occurred()) {
        void *thread = PyEval_SaveThread();
        result = code(words);
        PyEval_RestoreThread(thread);
    }
    while (buffer-- > buffers) PyBuffer_Release(buffer);
    return PyErr_Occurred() ? 0 : PyLong_FromLongLong(result);
}

static struct { const char *name; void *call; int flags; const char *page; } method = {"native", call, 1, 0};

void *envsuite_entry(void *self) { return PyCFunction_NewEx(&method, self, 0); }
