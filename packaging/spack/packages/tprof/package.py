# SPDX-License-Identifier: GPL-3.0-or-later
"""Recipe of tprof for Spack. From the folder that holds tprof-0.1.0.tar.gz (make dist writes it):

    spack repo add PATH/packaging/spack
    spack install --no-checksum tprof

or from the unpacked release: spack dev-build tprof@0.1.0
"""
import os

from spack.package import *

try:
    from spack_repo.builtin.build_systems.autotools import AutotoolsPackage
except ImportError:
    # Spack before 1.0 brings the class with spack.package.
    pass


class Tprof(AutotoolsPackage):
    """Terminal profiler that measures the roofs of a machine (bandwidth of every memory level, floating-point rate of every
    instruction set) and puts programs under them, without hardware counters and without compiling them anew."""

    manual_download = True
    url = "file://{0}/tprof-0.1.0.tar.gz".format(os.getcwd())
    maintainers = []

    license("GPL-3.0-or-later")

    # No checksum: this file is a part of what would be summed.
    version("0.1.0")

    variant("papi", default=True, description="count hardware events through PAPI")
    variant("pfm", default=True, description="count programs by formulas of classified events")
    variant("isl", default=True, description="patterns with polyhedral domains and schedules")
    variant("zlib", default=True, description="matrices that gzip compressed")

    depends_on("c", type="build")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("hwloc@2:")
    depends_on("libyaml")
    depends_on("jansson@2.10:")
    depends_on("gsl")
    depends_on("ncurses")
    depends_on("papi", when="+papi")
    depends_on("libpfm4", when="+pfm")
    depends_on("isl@0.25:", when="+isl")
    depends_on("zlib-api", when="+zlib")
    depends_on("zydis@4:", when="target=x86_64:")

    conflicts("platform=darwin", msg="tprof measures on Linux only")
    conflicts("platform=windows", msg="tprof measures on Linux only")

    def configure_args(self):
        return [flag for name in ("papi", "pfm", "isl", "zlib") for flag in self.with_or_without(name)]

    def setup_run_environment(self, env):
        # tprof_roi.h marks regions of programs; nothing is linked.
        env.prepend_path("CPATH", self.prefix.include)

    def test_quick(self):
        """a first roofline, and the counting of programs held to what is known"""
        tprof = which(self.prefix.bin.tprof)
        tprof("--batch", "quick", "--run-dir", "quick", "--csv")
        if self.spec.satisfies("target=x86_64:"):
            tprof("--app", "--self-test")
