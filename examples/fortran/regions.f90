! SPDX-License-Identifier: GPL-3.0-or-later
! Two regions of one program: the triad of STREAM, which waits for memory, and a product of
! matrices, which does not. tprof shows a dot for each.
program regions
    use triads, only: triad
    use tprof_roi, only: tprof_roi_begin, tprof_roi_end
    use, intrinsic :: iso_fortran_env, only: int64, real64
    implicit none

    integer, parameter :: default_scale = 100
    integer :: scale, status
    character(len=32) :: word

    scale = default_scale
    if (command_argument_count() > 0) then
        call get_command_argument(1, word)
        read (word, *, iostat=status) scale
        if (status /= 0 .or. scale < 1 .or. scale > 100 .or. command_argument_count() > 1) then
            write (*, '(a)') 'usage: regions [PERCENT]   size of the arrays, 1-100 (default 100)'
            stop 2
        end if
    end if
    call run_triad(80000 * scale)
    call run_matmul(6 * scale)

contains

    subroutine report(name, sum, flops, start)
        character(len=*), intent(in) :: name
        real(real64), intent(in) :: sum
        integer(int64), intent(in) :: flops, start
        integer(int64) :: now, rate
        real(real64) :: seconds

        call system_clock(now, rate)
        seconds = real(max(now - start, 1_int64), real64) / real(rate, real64)
        write (*, '(a, " checksum ", es20.12, "  flops ", i0, "  ", f0.3, " GFLOP/s (", f0.3, " s)")') &
            name, sum, flops, 1e-9_real64 * real(flops, real64) / seconds, seconds
    end subroutine report

    subroutine run_triad(n)
        integer, intent(in) :: n
        integer, parameter :: times = 20
        real(real64), allocatable :: a(:), b(:), c(:)
        integer :: i, k
        integer(int64) :: start

        allocate (a(n), b(n), c(n))
        a = 0
        b = [(real(mod(i, 7), real64), i=1, n)]
        c = [(real(mod(i, 5), real64), i=1, n)]
        call system_clock(start)
        call tprof_roi_begin('triad')
        do k = 1, times
            call triad(a, b, c, real(k, real64))
        end do
        call tprof_roi_end('triad')
        call report('triad ', sum(a), 2_int64 * n * times, start)
    end subroutine run_triad

    subroutine run_matmul(n)
        integer, intent(in) :: n
        real(real64), allocatable :: a(:, :), b(:, :), c(:, :)
        integer :: i, j, k
        integer(int64) :: start

        allocate (a(n, n), b(n, n), c(n, n))
        do j = 1, n
            do i = 1, n
                a(i, j) = mod(i + 2 * j, 7)
                b(i, j) = mod(3 * i + j, 5)
            end do
        end do
        c = 0
        call system_clock(start)
        call tprof_roi_begin('matmul')
        ! Columns of Fortran's arrays lie together, so i is the inner loop.
        do j = 1, n
            do k = 1, n
                do i = 1, n
                    c(i, j) = c(i, j) + a(i, k) * b(k, j)
                end do
            end do
        end do
        call tprof_roi_end('matmul')
        call report('matmul', sum(c), 2_int64 * n**3, start)
    end subroutine run_matmul
end program regions
