! A ring of ranks in Fortran: messages of all kinds, handles and constants of Fortran. Compiled with `use mpi`, or with `use mpi_f08` where
! F08 is defined.
program heat
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none
  integer, parameter :: n = 100
  integer :: rank, ranks, left, right, ierr, i, made, index, tag, some, indices(4)
  logical :: flag
  integer :: dims(1)
  logical :: periods(1)
  double precision :: u(0:n+1), total
  integer(kind=8), allocatable :: messages(:), bytes(:)
  integer, allocatable :: counts(:), places(:)
  double precision, allocatable :: many(:)
#ifdef F08
  type(MPI_Comm) :: ring, half
  type(MPI_Request) :: requests(4)
  type(MPI_Status) :: status
#else
  integer :: ring, half
  integer :: requests(4)
  integer :: status(MPI_STATUS_SIZE)
#endif

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  allocate(messages(0:ranks-1), bytes(0:ranks-1), counts(ranks), places(ranks), many(2*ranks))
  messages = 0
  bytes = 0
  u = rank
  many = 1
  dims(1) = ranks
  periods(1) = .true.
  call MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, .false., ring, ierr)
  call MPI_Cart_shift(ring, 0, 1, left, right, ierr)

  do i = 1, 5
    call MPI_Irecv(u(0), 1, MPI_DOUBLE_PRECISION, left, 1, ring, requests(1), ierr)
    call MPI_Irecv(u(n+1), 1, MPI_DOUBLE_PRECISION, right, 2, ring, requests(2), ierr)
    call MPI_Isend(u(n), 1, MPI_DOUBLE_PRECISION, right, 1, ring, requests(3), ierr)
    call MPI_Issend(u(1), 1, MPI_DOUBLE_PRECISION, left, 2, ring, requests(4), ierr)
    call count_it(right, 8)
    call count_it(left, 8)
    ! In whatever order: some libraries count these indices from zero, whatever the standard says.
    call MPI_Waitany(4, requests, index, MPI_STATUS_IGNORE, ierr)
    made = 1
    do while (made < 4)
      call MPI_Waitsome(4, requests, some, indices, MPI_STATUSES_IGNORE, ierr)
      made = made + some
    end do
    u(1:n) = (u(0:n-1) + u(2:n+1)) / 2
    total = sum(u(1:n))
    call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  end do
  ! Nobody knows from whom: with a status, without one, and by requests.
  call MPI_Isend(u, 10, MPI_DOUBLE_PRECISION, right, 5, ring, requests(1), ierr)
  call MPI_Recv(u, n, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 5, ring, MPI_STATUS_IGNORE, ierr)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
  call count_it(right, 80)
  call MPI_Irecv(u, n, MPI_DOUBLE_PRECISION, right, MPI_ANY_TAG, ring, requests(2), ierr)
  call MPI_Send(u, 20, MPI_REAL, left, 6, ring, ierr)
  call count_it(left, 80)
  flag = .false.
  do while (.not. flag)
    call MPI_Test(requests(2), flag, MPI_STATUS_IGNORE, ierr)
  end do
  call MPI_Isend(u, 3, MPI_INTEGER, right, 7, ring, requests(1), ierr)
  call MPI_Probe(left, MPI_ANY_TAG, ring, status, ierr)
#ifdef F08
  tag = status%MPI_TAG
#else
  tag = status(MPI_TAG)
#endif
  call MPI_Recv(u, 3, MPI_INTEGER, left, tag, ring, status, ierr)
  call MPI_Waitany(1, requests, index, MPI_STATUS_IGNORE, ierr)
  call count_it(right, 12)
  call MPI_Sendrecv(u, 4, MPI_INTEGER, right, 8, many, 4, MPI_INTEGER, MPI_ANY_SOURCE, 8, ring, &
                    MPI_STATUS_IGNORE, ierr)
  call count_it(right, 16)
  call MPI_Send_init(u, 2, MPI_INTEGER, right, 9, ring, requests(1), ierr)
  call MPI_Recv_init(u(5), 2, MPI_INTEGER, left, 9, ring, requests(2), ierr)
  call MPI_Startall(2, requests, ierr)
  call count_it(right, 8)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
  call MPI_Request_free(requests(1), ierr)
  call MPI_Request_free(requests(2), ierr)

  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, ierr)
  call MPI_Ibcast(u, 5, MPI_DOUBLE_PRECISION, 0, half, requests(1), ierr)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
  counts = 2
  places = [(2 * (i - 1), i = 1, ranks)]
  call MPI_Alltoallv(MPI_IN_PLACE, counts, places, MPI_DOUBLE_PRECISION, many, counts, places, MPI_DOUBLE_PRECISION, &
                     MPI_COMM_WORLD, ierr)
  call MPI_Comm_free(half, ierr)
  call MPI_Comm_free(ring, ierr)

  call print_all()
  call MPI_Finalize(ierr)

contains

  subroutine count_it(to, size)
    integer, intent(in) :: to, size
    messages(to) = messages(to) + 1
    bytes(to) = bytes(to) + size
  end subroutine

  subroutine print_all()
    integer(kind=8) :: m(0:ranks-1, 0:ranks-1), b(0:ranks-1, 0:ranks-1)
    integer :: from, to
    call MPI_Gather(messages, ranks, MPI_INTEGER8, m, ranks, MPI_INTEGER8, 0, MPI_COMM_WORLD, ierr)
    call MPI_Gather(bytes, ranks, MPI_INTEGER8, b, ranks, MPI_INTEGER8, 0, MPI_COMM_WORLD, ierr)
    if (rank /= 0) return
    do from = 0, ranks - 1
      do to = 0, ranks - 1
        if (m(to, from) > 0) print '(i0,",",i0,",",i0,",",i0)', from, to, m(to, from), b(to, from)
      end do
    end do
  end subroutine
end program
