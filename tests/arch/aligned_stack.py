# SPDX-License-Identifier: Apache-2.0
"""Looks for aligned vector accesses at stack addresses that are not aligned: aligned_stack.py OBJECT...

GCC 12.2 with -march=native on a processor with AVX-512 can clear a local array of 48 bytes with an aligned store although
it laid the array at a multiple of 8 (a leaf function whose only vectors come from that loop). Such a program crashes.
Follows the stack pointer, the frame pointer and addresses computed from them through each function in the order of the
listing, modulo 16; code behind a return continues from the jump that leads there. Without objdump or on other processors the test is skipped: exit status 77.
"""
import platform
import re
import shutil
import subprocess
import sys

SKIPPED = 77
FUNCTION = re.compile(r"^[0-9a-f]+ <(.*)>:$")
INSTRUCTION = re.compile(r"^\s+([0-9a-f]+):\s+(\S.*)$")
PADDING = re.compile(r"\bnop[wl]?\b|^xchg %ax,%ax$")
JUMP = re.compile(r"^j\w+ ([0-9a-f]+)$")
ALIGNED = re.compile(r"^v?mov(?:dqa\d*|ap[sd]|ntdq|ntp[sd]) (.*)$")
MEMORY = re.compile(r"(-?0x[0-9a-f]+)?\((%r\w+)\)")
ADDRESS = re.compile(r"^lea (-?0x[0-9a-f]+)?\((%r\w+)\),(%r\w+)$")
OLD_NAMES = {"eax": "rax", "ebx": "rbx", "ecx": "rcx", "edx": "rdx", "esi": "rsi", "edi": "rdi", "ebp": "rbp", "esp": "rsp"}
LOST_BY_CALLS = ["%rax", "%rcx", "%rdx", "%rsi", "%rdi", *(f"%r{k}" for k in range(8, 12))]


def whole(register):
    """The register of 64 bits that this one is a part of."""
    numbered = re.match(r"%(r\d+)[dwb]?$", register)
    return "%" + (numbered[1] if numbered else OLD_NAMES.get(register[1:], register[1:]))


class Function:
    """What is known of registers, modulo 16."""

    def __init__(self, name):
        self.name = name
        self.known = {"%rsp": 8}  # after the call
        self.body = 8             # of the stack pointer once the function has its frame: what holds after a return
        self.frame = None
        self.saved = set()        # registers that hold an earlier stack pointer; a call that may change them does not (-fipa-ra)
        self.jumps = {}           # what is known at the targets of jumps that come before them

    def arrive(self, place, ended):
        """At an instruction; `ended`: the one before it does not lead here."""
        if ended and place in self.jumps:
            self.known = self.jumps[place]

    def move_stack(self, by):
        self.known["%rsp"] = (self.known["%rsp"] + by) % 16
        if by < 0:
            self.body = self.known["%rsp"]

    def address(self, text):
        """Of the operand in memory, if there is one and its register is known."""
        memory = MEMORY.search(text)
        if memory and memory[2] in self.known:
            return (self.known[memory[2]] + int(memory[1] or "0", 16)) % 16
        return None

    def step(self, text):
        op, _, rest = text.partition(" ")
        if jump := JUMP.match(text):
            self.jumps.setdefault(jump[1], dict(self.known))
        last = rest.rsplit(",", 1)[-1]
        if op == "push":
            self.move_stack(-8)
        elif op == "pop":
            self.move_stack(8)
            self.known.pop(whole(rest), None)
        elif op in ("sub", "add") and last == "%rsp" and rest.startswith("$"):
            size = int(rest.split(",")[0][1:], 16)
            self.move_stack(size if op == "add" else -size)
        elif op == "and" and last == "%rsp":
            self.known["%rsp"] = self.body = 0
        elif op in ("ret", "jmp", "ud2"):
            self.known = {"%rsp": self.body} | ({} if self.frame is None else {"%rbp": self.frame})
        elif op == "mov" and re.fullmatch(r"%r\w+,%r\w+", rest):
            self.copy(*rest.split(","))
        elif address := ADDRESS.match(text):
            self.compute(*address.groups())
        elif op.startswith("call"):
            for register in LOST_BY_CALLS:
                if register not in self.saved:
                    self.known.pop(register, None)
        elif re.fullmatch(r"%\w+", last) and not op.startswith(("cmp", "test", "j")) and whole(last) != "%rsp":
            self.known.pop(whole(last), None)
            self.saved.discard(whole(last))

    def copy(self, source, target):
        if (source, target) == ("%rsp", "%rbp") and self.frame is None:
            self.frame = self.known["%rsp"]
        (self.saved.add if source == "%rsp" else self.saved.discard)(target)
        if source in self.known:
            self.known[target] = self.known[source]
        elif target != "%rsp":
            self.known.pop(target, None)

    def compute(self, offset, base, target):
        if base in self.known:
            self.known[target] = (self.known[base] + int(offset or "0", 16)) % 16
        elif target != "%rsp":
            self.known.pop(target, None)


def scan(listing):
    """The faults, and how many aligned accesses were looked at."""
    function, faults, seen, ended = None, [], 0, False
    for line in listing.splitlines():
        if name := FUNCTION.match(line):
            function = Function(name[1])
        instruction = INSTRUCTION.match(line)
        if not instruction or function is None:
            continue
        text = " ".join(re.sub(r"\s+(?:#|<).*$", "", instruction[2]).split())
        function.arrive(instruction[1], ended)
        if not PADDING.search(text):
            ended = text.split(" ")[0] in ("ret", "jmp", "ud2")
        access = ALIGNED.match(text)
        at = function.address(access[1]) if access else None
        if at is not None:
            seen += 1
            if at:
                faults.append(f"{function.name}: {line.strip()}")
        function.step(text)
    return faults, seen


def main():
    objdump = shutil.which("objdump")
    if objdump is None or platform.machine() != "x86_64":
        print("no objdump, or not x86-64")
        return SKIPPED
    bad = seen = 0
    for path in sys.argv[1:]:
        listing = subprocess.run([objdump, "-d", "--no-show-raw-insn", path], check=True, capture_output=True, text=True).stdout
        faults, accesses = scan(listing)
        bad += len(faults)
        seen += accesses
        for fault in faults:
            print(f"{path}: {fault}")
    print(f"{bad} of {seen} aligned accesses to the stack are not aligned")
    return 1 if bad or seen == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
