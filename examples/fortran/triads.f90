! SPDX-License-Identifier: GPL-3.0-or-later
! In a file of its own: otherwise the compiler sees that only the last of all repetitions matters.
module triads
    use, intrinsic :: iso_fortran_env, only: real64
    implicit none

contains

    subroutine triad(a, b, c, factor)
        real(real64), intent(out) :: a(:)
        real(real64), intent(in) :: b(:), c(:), factor

        a = b + factor * c
    end subroutine triad
end module triads
