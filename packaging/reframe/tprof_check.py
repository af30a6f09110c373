# SPDX-License-Identifier: GPL-3.0-or-later
"""A check for ReFrame: the roofline of a node, with a performance variable for each roof.

usage: reframe -c tprof_check.py -r
       reframe -c tprof_check.py -S TprofCheck.preset=roofline -r

References go into `reference`, per system and partition: {'system:partition': {'avx512_DRAM_2ld1st': (31.7, -0.05, None, 'GB/s')}}.
"""
import csv

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import run_before, sanity_function, variable


def speeds(path):
    """Of points.csv: the median of each point that is not poor, with its unit, by a name such as avx512_DRAM_2ld1st."""
    found = {}
    with open(path, newline='') as file:
        for point in csv.DictReader(file):
            if point['quality'] == 'poor':
                continue
            what = [point['isa'], point['level'], point['fp_op'] or point['kernel'], point['precision'], point['threads'] + 't']
            for column, unit in (('median_gflops', 'GFLOP/s'), ('median_gbps', 'GB/s'), ('median_ns', 'ns')):
                if point.get(column):
                    name = '_'.join(word for word in what if word).replace('+', '_').replace('-', '_')
                    found.setdefault(name, (float(point[column]), unit))
                    break
    return found


@rfm.simple_test
class TprofCheck(rfm.RunOnlyRegressionTest):
    descr = 'Bandwidth of each memory level and peak of the cores'
    valid_systems = ['*']
    valid_prog_environs = ['*']
    preset = variable(str, value='quick')
    executable = 'tprof'
    exclusive_access = True
    time_limit = '30m'

    @run_before('run')
    def set_options(self):
        self.executable_opts = ['--batch', self.preset, '--run-dir', 'run', '--report=always']

    @sanity_function
    def is_complete(self):
        return sn.assert_found(r'"state": "complete"', 'run/run.json')

    @run_before('performance')
    def set_variables(self):
        self.perf_variables = {
            name: sn.make_performance_function(sn.defer(speed), unit)
            for name, (speed, unit) in speeds(self.stagedir + '/run/points.csv').items()
        }
