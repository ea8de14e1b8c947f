# SPDX-License-Identifier: Apache-2.0
"""The evaluation of "A Splitting Architecture for Exact Reduced Coulomb Friction" with Repose.   scripts/paper --help

One module per group of tables and figures. An item collects plain numbers, which are kept as JSON, and writes one section
of one page from them; published.json has the paper's numbers under the labels of its tables.
"""
