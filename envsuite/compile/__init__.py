"""How kernels become machine code: templates, their files and locks, when to compile; Numba only in `numba_`."""
