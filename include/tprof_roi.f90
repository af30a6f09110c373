! SPDX-License-Identifier: GPL-3.0-or-later
!
! Regions of interest of a Fortran program: what tprof counts and times by name. See tprof-app(1)
! and tprof_roi.h.
!
!     use tprof_roi
!
!     call tprof_roi_begin('assemble')
!     ...
!     call tprof_roi_end('assemble')
!
! Compile this file with your program; nothing is linked:
!
!     gfortran -O2 -c /usr/local/include/tprof_roi.f90
!     gfortran -O2 -o program program.f90 tprof_roi.o
!
! A module file fits one compiler alone, so tprof installs this source instead. Blanks at the end of
! a name do not count. Without tprof a call takes a few nanoseconds. tprof finds the variable below
! by its name in the table of symbols: do not strip the program (-s).
module tprof_roi
    use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_procpointer, c_funptr, c_int, &
        c_null_char, c_null_funptr
    implicit none
    private
    public :: tprof_roi_begin, tprof_roi_end

    ! Only tprof writes it, so no compiler may take it for a constant.
    type(c_funptr), bind(c, name='tprof_roi_hook_fortran'), volatile, public :: &
        tprof_roi_hook = c_null_funptr

    integer, parameter :: longest = 127

    abstract interface
        subroutine hook_interface(what, name) bind(c)
            import :: c_char, c_int
            integer(c_int), value :: what
            character(kind=c_char), intent(in) :: name(*)
        end subroutine hook_interface
    end interface

contains

    subroutine tprof_roi_begin(name)
        character(len=*), intent(in) :: name
        type(c_funptr) :: hook

        hook = tprof_roi_hook
        if (c_associated(hook)) call tell(hook, 1_c_int, name)
    end subroutine tprof_roi_begin

    subroutine tprof_roi_end(name)
        character(len=*), intent(in) :: name
        type(c_funptr) :: hook

        hook = tprof_roi_hook
        if (c_associated(hook)) call tell(hook, 2_c_int, name)
    end subroutine tprof_roi_end

    subroutine tell(hook, what, name)
        type(c_funptr), intent(in) :: hook
        integer(c_int), intent(in) :: what
        character(len=*), intent(in) :: name
        procedure(hook_interface), pointer :: call_hook
        character(kind=c_char) :: text(longest + 1)
        integer :: i, n

        n = min(len_trim(name), longest)
        do i = 1, n
            text(i) = name(i:i)
        end do
        text(n + 1) = c_null_char
        call c_f_procpointer(hook, call_hook)
        call call_hook(what, text)
    end subroutine tell

end module tprof_roi
