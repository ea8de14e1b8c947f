# SPDX-License-Identifier: Apache-2.0
"""The search for misaligned accesses finds the one that GCC 12.2 made, and passes over sound ones."""
import unittest

import aligned_stack

SOUND = """
0000000000000000 <sound>:
   0:	push   %rbp
   1:	sub    $0x20,%rsp
   5:	vmovdqa %xmm0,0x10(%rsp)
   b:	lea    0x10(%rsp),%rbx
  10:	vmovaps %xmm0,(%rbx)
  14:	add    $0x20,%rsp
  18:	pop    %rbp
  19:	ret
  1a:	vmovdqa 0x10(%rsp),%xmm0
"""
REALIGNED = """
0000000000000000 <realigned>:
   0:	push   %rbp
   1:	mov    %rsp,%rbp
   4:	and    $0xffffffffffffffc0,%rsp
   8:	sub    $0x48,%rsp
   c:	vmovapd %zmm0,-0x38(%rsp)
"""
# The jump leads over a return, to code that has the stack pointer of the jump, not that of the call before the return; there a
# call keeps the stack pointer in a register.
JUMPED = """
0000000000000000 <jumped>:
   0:	sub    $0x58,%rsp
   4:	je     40 <jumped+0x40>
   6:	sub    $0x18,%rsp
   a:	call   100 <other>
   f:	add    $0x18,%rsp
  13:	add    $0x58,%rsp
  17:	ret
  18:	nopl   0x0(%rax,%rax,1)
  40:	mov    %rsp,%rdi
  43:	sub    $0x18,%rsp
  47:	vmovdqa 0x38(%rsp),%xmm3
  4d:	call   100 <other>
  52:	mov    %rdi,%rsp
  55:	vmovdqa 0x40(%rsp),%xmm3
"""
# The frame pointer is a multiple of 16; the array lies at a multiple of 8 below it.
BROKEN = """
0000000000000000 <broken>:
   0:	push   %rbp
   1:	mov    %rsp,%rbp
   4:	lea    -0x58(%rbp),%rbx
   8:	vmovdqu8 %ymm4,(%rbx)
   e:	vmovdqa %xmm4,0x20(%rbx)
"""


class AlignedStack(unittest.TestCase):
    def test_sound_accesses_pass(self):
        self.assertEqual(aligned_stack.scan(SOUND), ([], 3))
        self.assertEqual(aligned_stack.scan(REALIGNED), ([], 1))
        self.assertEqual(aligned_stack.scan(JUMPED), ([], 2))

    def test_a_misaligned_store_is_found(self):
        faults, seen = aligned_stack.scan(BROKEN)
        self.assertEqual(seen, 1)
        self.assertEqual(len(faults), 1)
        self.assertIn("0x20(%rbx)", faults[0])


if __name__ == "__main__":
    unittest.main()
