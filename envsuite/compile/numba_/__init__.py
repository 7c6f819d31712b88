"""All of Numba: types of kernels, files of machine code, shorter code and linking, and the private names they need."""
