# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# Instructions as people copy them: from gcc -S and objdump, in both syntaxes, with any register as a base. Each runs, or gives the reason why not.
[ "$(uname -m)" = x86_64 ] || skip_all 'instructions of x86'
have as || skip_all 'no assembler is installed'
for feature in avx2 fma bmi1 abm popcnt cx16; do
	grep -qw "$feature" /proc/cpuinfo || skip_all "this CPU lacks $feature"
done

# Instructions that cannot be assembled: exit 2, the place and the reason, and no run. REASON|INSTRUCTION
while IFS='|' read -r reason text; do
	{ echo 'experiment: asm' && echo "asm.body: ['$text']"; } >one.yaml
	run --check one.yaml
	expect_exit 2
	expect_err 'one.yaml:2'
	expect_err "$reason"
done <<'END'
a symbol|ja .L48
a symbol|jl .L7
a symbol|vandpd .LC1(%rip), %xmm1, %xmm2
a symbol|jmp .L75
a symbol|je .L37
a symbol|call __stack_chk_fail@PLT
a symbol|vdivsd .LC2(%rip), %xmm1, %xmm1
a symbol|jle .L74
a symbol|leaq .LC8(%rip), %rdx
a symbol|jge .L74
a symbol|call __popcountdi2@PLT
a symbol|jbe .L28
a symbol|ja .L63
a symbol|vdivsd xmm1, xmm1, QWORD PTR .LC2[rip]
a symbol|jbe 152 <axpy+0x92>
a symbol|jge 532 <cmp3+0x26>
a symbol|lock xadd %eax,0x0(%rip) # 323 <inc+0x1a>
a symbol|jle 6c5 <minb+0x225>
prefix used twice|data16 cs nop WORD PTR [rax+rax*1+0x0]
a symbol|jg 81a <sat+0x23>
a symbol|je 45e <tr+0x4e>
a symbol|jne 578 <ipc+0x18>
a symbol|jmp 42a <poly+0x1a>
a symbol|jbe c54 <ipc+0xe4>
a symbol|movq table(,%rax,8), %rax
END

# What runs.
cat >runs <<'END'
idivq -16(%rbp)
idiv DWORD PTR -8[rbp]
div qword ptr [rdx]
cvttss2sil %xmm0, %eax
ucomiss %xmm0, %xmm1
cmpl -44(%rbp), %eax
shrl $5, %ecx
movapd %xmm1, %xmm0
cmovl %edx, %eax
vcvtss2sd %xmm1, %xmm1, %xmm1
vzeroupper
cvttsd2siq %xmm1, %rax
popcntq %rdi, %rdx
divss %xmm0, %xmm1
sarl $31, %edi
orpd %xmm3, %xmm2
incq %rdi
movb %al, -5(%rbp)
rep bsfq -8(%rbp), %rax
orl %edi, %eax
vunpckhpd %xmm1, %xmm1, %xmm2
vfmadd213ss (%r8), %xmm0, %xmm1
vucomiss %xmm0, %xmm1
cmovne %esi, %edi
imulq %rsi, %rcx
subsd %xmm2, %xmm1
andnpd %xmm1, %xmm4
vmulsd %xmm1, %xmm0, %xmm0
mulsd %xmm1, %xmm0
vcvtsi2sdq %rdi, %xmm0, %xmm0
movq 32(%rsi), %rdx
vpmaxsd %xmm2, %xmm1, %xmm1
vmovd %xmm1, %edx
vpgatherdd %xmm4, (%rdx,%xmm5,4), %xmm0
mulq %rcx
ucomisd %xmm3, %xmm6
movss (%rdi), %xmm0
vbroadcastss %xmm0, %ymm2
pxor %xmm1, %xmm1
addq $1, %rdi
vsqrtss %xmm0, %xmm0, %xmm0
vpsrldq $8, %xmm1, %xmm3
vmovsd %xmm1, 104(%rdi)
vfmadd231ss %xmm0, %xmm0, %xmm1
vaddsd %xmm1, %xmm0, %xmm0
testl %esi, %esi
cmovg %edx, %eax
addsd %xmm1, %xmm0
vxorps %xmm0, %xmm0, %xmm0
vcvttss2sil %xmm1, %edx
vmovss %xmm0, (%rax)
vpxor %xmm1, %xmm1, %xmm1
vpminub (%rax), %ymm0, %ymm0
movzwl 14(%rax), %eax
testb $7, %dl
vpextrb $0, %xmm0, %eax
salq $5, %rax
shrq $63, %rax
vfmadd132sd %xmm1, %xmm2, %xmm0
subl %edi, %esi
tzcntq %rdi, %rax
movsbl %al, %eax
vpaddd (%rax), %ymm1, %ymm1
movd %xmm1, %eax
vaddsd xmm0, xmm0, xmm1
imul rax, QWORD PTR -8[rbp]
vmovss DWORD PTR [r8], xmm1
div rcx
rol eax, cl
vcvttss2si edx, xmm1
sqrtss xmm0, xmm0
cqo
and rax, QWORD PTR -16[rbp]
ucomiss xmm1, xmm0
add r12d, eax
orpd xmm2, xmm3
or eax, edi
vextractf128 xmm1, ymm1, 0x1
mov eax, DWORD PTR [rdx+rax]
sete al
vfmadd213ss xmm1, xmm0, DWORD PTR [r8]
movss xmm0, DWORD PTR [rax]
movsx eax, BYTE PTR 144[rsp]
cmpnlesd xmm2, xmm1
vmulss xmm1, xmm1, xmm1
inc rdi
popcnt rdx, rdi
tzcnt rax, rdi
endbr64
vfmadd231ss xmm1, xmm0, xmm0
mulsd xmm0, xmm1
vpsrldq xmm1, xmm0, 1
movapd xmm2, xmm6
vucomisd xmm0, xmm1
mulss xmm0, DWORD PTR -36[rbp]
cmova eax, esi
vmovd eax, xmm0
cdqe
vbroadcastss ymm2, xmm0
vsqrtss xmm0, xmm0, xmm0
vmulpd ymm1, ymm4, YMMWORD PTR [rcx+rax]
lock cmpxchg DWORD PTR [rdi], edx
movups XMMWORD PTR [rdi], xmm0
movaps xmm0, xmm1
vpgatherdd xmm0, DWORD PTR [rdx+xmm5*4], xmm4
sar edi, 31
andnpd xmm4, xmm1
vpxor xmm1, xmm1, xmm1
cmp DWORD PTR -16[rbp], 3
vmovups xmm3, XMMWORD PTR [r9]
vsubsd xmm0, xmm0, xmm1
cvttss2si eax, xmm0
vfmadd213ps ymm1, ymm2, YMMWORD PTR [rcx+rax]
lzcnt rdi, rdi
shr ecx, 3
addss xmm0, xmm1
addsd xmm0, xmm1
cmpnlesd %xmm6,%xmm2
vfmadd231ss %xmm0,%xmm0,%xmm1
movups %xmm1,0x10(%rdi)
mulss -0x24(%rbp),%xmm0
vcvttsd2si %xmm0,%eax
movb $0xff,-0x1(%rbp)
popcnt %rdi,%rdx
cqto
movsbl 0x90(%rsp),%eax
tzcnt -0x8(%rbp),%rax
vpextrb $0x0,%xmm0,%eax
sete %al
vmovdqu (%rsi,%rax,1),%ymm3
cvtsi2sdq -0x18(%rbp),%xmm1
vpgatherdd %xmm4,(%rdx,%xmm5,4),%xmm0
movapd %xmm1,%xmm0
cmova %edx,%eax
ucomiss %xmm0,%xmm1
vcvtss2sd %xmm1,%xmm1,%xmm1
nopw 0x0(%rax,%rax,1)
vaddsd %xmm1,%xmm0,%xmm0
vextractf128 $0x1,%ymm1,%xmm1
vfmadd132ss 0x8(%rsi,%rdi,1),%xmm4,%xmm0
sqrtsd %xmm7,%xmm7
vmovss %xmm1,(%r8)
sar %rax
sqrtss %xmm0,%xmm0
vbroadcastss %xmm0,%ymm2
movl $0x0,-0x8(%rbp)
lea 0x0(,%rax,8),%rdx
vfmadd132ps (%rsi,%rdi,4),%xmm3,%xmm1
lzcnt %rdi,%rdi
vmovsd 0x40(%rdi),%xmm0
pxor %xmm0,%xmm0
vsqrtss %xmm0,%xmm0,%xmm0
vmulsd %xmm1,%xmm0,%xmm0
vucomisd %xmm1,%xmm0
cltd
nopl 0x0(%rax)
mulsd %xmm1,%xmm0
mov %edx,-0x20(%rbp)
sub eax,0x2
cs nop WORD PTR [rax+rax*1+0x0]
vucomisd xmm0,xmm1
vmulss xmm1,xmm1,xmm1
pxor xmm1,xmm1
vmulpd xmm1,xmm6,XMMWORD PTR [rcx+rsi*8]
vcvtss2sd xmm1,xmm1,xmm1
cmovne edi,esi
movapd xmm2,xmm6
vfmadd132ps xmm1,xmm3,XMMWORD PTR [rsi+rdi*4]
test edx,edx
addss xmm1,DWORD PTR [rdi+rax*1]
vmovups xmm3,XMMWORD PTR [r9]
sqrtsd xmm0,xmm0
lzcnt rdi,rdi
vunpckhpd xmm1,xmm1,xmm1
movd eax,xmm1
cmovl eax,edx
vsqrtsd xmm0,xmm1,xmm1
vmovupd ymm4,YMMWORD PTR [rdi+rax*1]
movzx eax,WORD PTR [rax+0xe]
vsqrtss xmm0,xmm0,xmm0
bswap eax
cmova eax,esi
sar rax,1
or eax,edi
movabs rax,0x10000000000
vfmadd213ss xmm1,xmm0,DWORD PTR [r8]
add eax,edx
imul rax,QWORD PTR [rbp-0x8]
vdivss xmm0,xmm1,xmm0
orpd xmm2,xmm3
vfmadd132ss xmm0,xmm1,xmm0
vmovd xmm1,esi
ucomisd xmm0,xmm7
cvttss2si edx,xmm1
vpaddd ymm1,ymm1,YMMWORD PTR [rax]
addsd xmm1,xmm0
vfmadd231ss xmm1,xmm0,xmm0
mov rcx, [rax]
lock add qword ptr [rbx], 1
addsd xmm0, [rax]
xchg qword ptr [rax], rcx
mov rcx, [rsp+8]
mov rcx, [rsp-8]
add rcx, [rsp+8]
mov %rax, 0x100(%rsp)
movq -24(%rbp), %rax
movaps -48(%rbp), %xmm0
movl (%r8,%r9,4), %eax
movss (%rdx,%rax,4), %xmm1
addl $1, (%r12)
movq 8(,%rax,8), %rcx
rep stosq
cmpxchg16b (%rsi)
prefetcht0 64(%rdx)
and $-16, %rsp
movq %fs:40, %rax
lock cmpxchg %rcx, (%rdx)
movntps %xmm0, (%rcx)
END

# What is assembled and cannot be measured. REASON|INSTRUCTION
cat >fails <<'END'
returns|ret
moves the stack pointer|pushq %rbp
changes the stack pointer|leave
jumps to an address|notrack jmp rax
moves the stack pointer|sub rsp, 16
misaligned access|movaps xmm0, [rdi+8]
misaligned access|vmovdqa ymm0, [rsi+16]
misaligned access|addps xmm0, [rbx+4]
is privileged|hlt
is privileged|cli
is privileged|in al, dx
is privileged|mov rax, cr0
is privileged|rdmsr
returns|iretq
calls a function|call rax
calls a function|call [rbx]
jumps to an address|jmp [rax]
died of signal 5|int3
died of signal 4|ud2
died of signal 8|div rdx
leaves the buffer|stosb
moves the stack pointer|push 5
moves the stack pointer|pop rbx
by its own place|mov eax, [rip+8]
a base here and an index|mov rax, [rax+rax]
leaves the buffer|mov rax, [rdi+0x10000000]
jumps out|jmp .-2
jumps out|jmp .+64
END

# One run of the preset for each instruction: its throughput and its latency.
{
	printf 'experiment: asm\nasm.mca: none\nstop: {max_time: 1ms}\nruns:\n'
	{ cat runs && sed 's/^[^|]*|//' fails; } | sed "s/.*/  - asm.body: ['&']/"
} >table.yaml
run --batch table.yaml --allow-code --run-dir table --quiet
expect_exit 3
python3 - <<'END' >why || fail "$(cat why)"
import json
expected = [(None, l.strip()) for l in open("runs")] + [l.strip().split("|") for l in open("fails")]
points = json.load(open("table/run.json"))["points"]
bad = len(points) != 2 * len(expected)
for p in points:
    reason, text = expected[p["run"]]
    if reason is None and p["state"] != "done":
        bad = True
        print("%s does not run: %s" % (text, p["diag"]["what"]))
    if reason and (p["state"] != "failed" or reason not in p["diag"]["what"] or '"' not in p["diag"]["what"]):
        bad = True
        print("%s: expected %s, got %s" % (text, reason, p.get("diag")))
raise SystemExit(bad)
END
