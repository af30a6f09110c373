! SPDX-License-Identifier: GPL-3.0-or-later
! Regions of Fortran: names with blanks at their ends, and in a variable.
program blanks
    use tprof_roi, only: tprof_roi_begin, tprof_roi_end
    implicit none
    character(len=40) :: name
    integer :: i
    real :: x(100)

    name = 'in a variable'
    do i = 1, 10
        call tprof_roi_begin('plain')
        call random_number(x)
        call tprof_roi_begin(name)
        x = x*2.0
        call tprof_roi_end(name)
        call tprof_roi_end('plain   ')
    end do
    print '(a)', 'done'
end program blanks
