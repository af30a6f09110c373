! SPDX-License-Identifier: GPL-3.0-or-later
! In place of tprof's module where that is not installed: the program builds, without regions.
module tprof_roi
    implicit none

contains

    subroutine tprof_roi_begin(name)
        character(len=*), intent(in) :: name

        if (len(name) == 0) stop 'a region needs a name'
    end subroutine tprof_roi_begin

    subroutine tprof_roi_end(name)
        character(len=*), intent(in) :: name

        if (len(name) == 0) stop 'a region needs a name'
    end subroutine tprof_roi_end
end module tprof_roi
