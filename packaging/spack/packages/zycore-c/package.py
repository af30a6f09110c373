# SPDX-License-Identifier: GPL-3.0-or-later
"""What Zydis stands on, as a shared library."""
from spack.package import *

try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage
except ImportError:
    # Spack before 1.0 brings the class with spack.package.
    pass


class ZycoreC(CMakePackage):
    """Types, containers and a layer over platforms in C, used by Zydis."""

    homepage = "https://github.com/zyantific/zycore-c"
    git = "https://github.com/zyantific/zycore-c.git"

    license("MIT")

    version("1.5.2", commit="0b2432ced0884fd152b471d97ecf0258ff4d859f")

    depends_on("c", type="build")
    depends_on("cxx", type="build")

    def cmake_args(self):
        return [self.define("ZYCORE_BUILD_SHARED_LIB", True)]
