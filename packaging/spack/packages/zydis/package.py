# SPDX-License-Identifier: GPL-3.0-or-later
"""The disassembler that tprof needs on x86-64, as a shared library: tprof's agent is loaded into programs. Spack's own recipe makes
a static one."""
from spack.package import *

try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage
except ImportError:
    # Spack before 1.0 brings the class with spack.package.
    pass


class Zydis(CMakePackage):
    """Fast disassembler of x86 and x86-64 in C."""

    homepage = "https://zydis.re"
    git = "https://github.com/zyantific/zydis.git"

    license("MIT")

    version("4.1.1", commit="a2278f1d254e492f6a6b39f6cb5d1f5d515659dc")

    depends_on("c", type="build")
    depends_on("zycore-c")

    def cmake_args(self):
        parts = ("EXAMPLES", "TOOLS", "TESTS", "DOXYGEN")
        return [
            self.define("ZYAN_SYSTEM_ZYCORE", True),
            self.define("ZYDIS_BUILD_SHARED_LIB", True),
        ] + [self.define("ZYDIS_BUILD_" + part, False) for part in parts]
