/* Writes an OTF2 archive with every kind of event that the reader knows, for tests/it/trace/otf2_library.rs:
   `archive FOLDER ITERATIONS [one-sided] [NAME=NUMBER...]` makes FOLDER/traces.otf2 and its files. Three ranks and a thread beside
   them. A number replaces a right one: `receiver` of the first message of each iteration, `root` of its broadcast, `target` of locks
   that are given back. So many `threads` are defined in addition, each with more events than there can be and without a file; so many
   events are defined to be in the file of rank 0, and are `missing`. Paradigms are defined, as all recorders define them, which changes
   how otf2-print writes their names; with `no-paradigms` they are not. With `pause`, rank 1 switches the recorder
   off twice. */
#include <inttypes.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANKS 3
/* Locations: not the numbers of the ranks, and not in their order of definition. */
static const uint64_t LOCATIONS[RANKS] = { 10, 4294967297, 7 };
#define THREAD 77

/* What may be asked for in the arguments. */
static uint32_t receiver = 1, root = 2, target = 0, threads = 0;
static uint64_t missing = 0;
static bool     paradigms = true, pause = false;

static void check( OTF2_ErrorCode code )
{
    if ( code != OTF2_SUCCESS ) {
        fprintf( stderr, "archive: %s\n", OTF2_Error_GetDescription( code ) );
        exit( 1 );
    }
}

static OTF2_FlushType pre_flush( void* u, OTF2_FileType t, OTF2_LocationRef l, void* c, bool f )
{
    return OTF2_FLUSH;
}

static OTF2_TimeStamp now = 2000;

static OTF2_TimeStamp post_flush( void* u, OTF2_FileType t, OTF2_LocationRef l )
{
    return now;
}

static OTF2_FlushCallbacks flushes = { .otf2_pre_flush = pre_flush, .otf2_post_flush = post_flush };

static OTF2_EvtWriter* writer[ RANKS ];
static uint64_t        events[ RANKS ];

enum { S_EMPTY, S_MAIN, S_INIT, S_SEND, S_ISEND, S_RECV, S_IRECV, S_WAIT, S_BCAST, S_FINALIZE, S_PUT, S_FENCE, S_WORK, S_NAME,
       S_MPI, S_COUNT };
static const char* STRINGS[ S_COUNT ] = { "", "main, Tag: 5, <3>", "MPI_Init", "MPI_Send", "MPI_Isend", "MPI_Recv", "MPI_Irecv",
                                          "MPI_Wait", "MPI_Bcast", "MPI_Finalize", "MPI_Put", "MPI_Win_fence", "work", "thread, Type: 1 <5>", "MPI" };

/* Regions have the number of their string plus 100. */
#define ENTER( r, s ) ( now += 1 + now % 3, events[ r ]++, check( OTF2_EvtWriter_Enter( writer[ r ], NULL, now, 100 + ( s ) ) ) )
#define LEAVE( r, s ) ( now += 1 + now % 5, events[ r ]++, check( OTF2_EvtWriter_Leave( writer[ r ], NULL, now, 100 + ( s ) ) ) )
#define EVENT( r, name, ... ) \
    ( now += 1, events[ r ]++, check( OTF2_EvtWriter_##name( writer[ r ], NULL, now, __VA_ARGS__ ) ) )
#define CALL( r, s, name, ... ) ( ENTER( r, s ), EVENT( r, name, __VA_ARGS__ ), LEAVE( r, s ) )

/* Communicators: 0 of all, 1 of ranks 2 and 1 in that order, 2 of oneself, 3 a copy of 0. */
static void communicate( int i )
{
    uint64_t q = 1000 + i % 3;
    CALL( 0, S_SEND, MpiSend, receiver, 0, 7, 100 + i % 5 );
    CALL( 1, S_RECV, MpiRecv, 0, 0, 7, 100 + i % 5 );
    /* Rank 2 receives from member 1 of communicator 1, which is rank 1; what it posts is complete only later. */
    ENTER( 2, S_IRECV );
    now++, events[ 2 ]++, check( OTF2_EvtWriter_MpiIrecvRequest( writer[ 2 ], NULL, now, q ) );
    LEAVE( 2, S_IRECV );
    CALL( 1, S_ISEND, MpiIsend, 0, 1, 8, 70000, q );
    CALL( 2, S_WAIT, MpiIrecv, 1, 1, 8, 70000, q );
    CALL( 1, S_WAIT, MpiIsendComplete, q );
    CALL( 2, S_WAIT, MpiRequestTest, q );
    /* To oneself. */
    if ( i % 4 == 0 ) {
        CALL( 0, S_ISEND, MpiIsend, 0, 0, 9, 8, q );
        CALL( 0, S_RECV, MpiRecv, 0, 0, 9, 8 );
        CALL( 0, S_WAIT, MpiIsendComplete, q );
        CALL( 1, S_ISEND, MpiIsend, 0, 2, 9, 8, q );
        CALL( 1, S_RECV, MpiRecv, 0, 2, 9, 8 );
        CALL( 1, S_WAIT, MpiIsendComplete, q );
    }
    for ( int r = 0; r < RANKS; r++ ) {
        ENTER( r, S_BCAST );
        now++, events[ r ]++, check( OTF2_EvtWriter_MpiCollectiveBegin( writer[ r ], NULL, now ) );
        EVENT( r, MpiCollectiveEnd, OTF2_COLLECTIVE_OP_BCAST, 0, root, r == 2 ? 3 * 64 : 0, 64 );
        LEAVE( r, S_BCAST );
        EVENT( r, MpiCollectiveEnd, OTF2_COLLECTIVE_OP_ALLTOALLV, 3, OTF2_COLLECTIVE_ROOT_NONE, 5 + 9 * r, 30 );
        EVENT( r, MpiCollectiveEnd, OTF2_COLLECTIVE_OP_ALLREDUCE, 2, OTF2_COLLECTIVE_ROOT_NONE, 8, 8 );
    }
    for ( int r = 2; r > 0; r-- ) {
        /* The root, member 1, is rank 1. */
        EVENT( r, MpiCollectiveEnd, OTF2_COLLECTIVE_OP_GATHER, 1, 1, 20, r == 1 ? 40 : 0 );
        EVENT( r, NonBlockingCollectiveRequest, 5 );
    }
    for ( int r = 1; r < RANKS; r++ ) {
        EVENT( r, NonBlockingCollectiveComplete, OTF2_COLLECTIVE_OP_ALLREDUCE, 1, OTF2_COLLECTIVE_ROOT_NONE, 8, 8, 5 );
    }
}

/* Windows: 4 on communicator 0, 5 on communicator 1. */
static void one_sided( int i )
{
    for ( int r = 0; r < RANKS; r++ ) {
        EVENT( r, RmaPut, 4, ( r + 1 ) % RANKS, 512 + r, i );
        EVENT( r, RmaGet, 4, ( r + 2 ) % RANKS, 64, i + 1 );
        EVENT( r, RmaOpCompleteBlocking, 4, i );
        EVENT( r, RmaOpCompleteNonBlocking, 4, i + 1 );
        EVENT( r, RmaOpTest, 4, i + 1 );
    }
    for ( int r = 0; r < RANKS; r++ ) {
        now++, events[ r ]++, check( OTF2_EvtWriter_RmaCollectiveBegin( writer[ r ], NULL, now ) );
        EVENT( r, RmaCollectiveEnd, OTF2_COLLECTIVE_OP_BARRIER, OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY, 4,
               OTF2_COLLECTIVE_ROOT_NONE, 0, 0 );
    }
    /* Passive targets: rank 1 is member 1 of the window, rank 2 is member 0. */
    EVENT( 1, RmaRequestLock, 5, 0, 3, OTF2_LOCK_EXCLUSIVE );
    EVENT( 1, RmaAcquireLock, 5, 0, 3, OTF2_LOCK_EXCLUSIVE );
    EVENT( 1, RmaAtomic, 5, 0, OTF2_RMA_ATOMIC_TYPE_ACCUMULATE, 80, 0, i );
    EVENT( 1, RmaAtomic, 5, 0, OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ADD, 8, 8, i + 1 );
    EVENT( 1, RmaOpCompleteBlocking, 5, i );
    EVENT( 1, RmaOpCompleteRemote, 5, i + 1 );
    EVENT( 1, RmaReleaseLock, 5, target, 3 );
    EVENT( 1, RmaSync, 5, 0, OTF2_RMA_SYNC_TYPE_MEMORY );
    EVENT( 2, RmaWaitChange, 5 );
}

static void collective_of_window( uint32_t window, bool create )
{
    for ( int r = window == 4 ? 0 : 1; r < RANKS; r++ ) {
        if ( create ) {
            EVENT( r, RmaWinCreate, window );
        }
        EVENT( r, RmaCollectiveEnd, create ? OTF2_COLLECTIVE_OP_CREATE_HANDLE : OTF2_COLLECTIVE_OP_DESTROY_HANDLE,
               OTF2_RMA_SYNC_LEVEL_PROCESS, window, OTF2_COLLECTIVE_ROOT_NONE, 0, 0 );
        if ( !create ) {
            EVENT( r, RmaWinDestroy, window );
        }
    }
}

static void group( OTF2_GlobalDefWriter* d, uint32_t self, OTF2_GroupType type, uint32_t count, const uint64_t* members )
{
    check( OTF2_GlobalDefWriter_WriteGroup( d, self, S_NAME, type, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, count, members ) );
}

static void definitions( OTF2_Archive* archive, uint64_t worked )
{
    OTF2_GlobalDefWriter* d = OTF2_Archive_GetGlobalDefWriter( archive );
#if OTF2_VERSION_MAJOR >= 3
    check( OTF2_GlobalDefWriter_WriteClockProperties( d, 1000000, 2000, now, OTF2_UNDEFINED_TIMESTAMP ) );
#else
    check( OTF2_GlobalDefWriter_WriteClockProperties( d, 1000000, 2000, now ) );
#endif
    for ( uint32_t s = 0; s < S_COUNT; s++ ) {
        check( OTF2_GlobalDefWriter_WriteString( d, s, STRINGS[ s ] ) );
    }
    if ( paradigms ) {
        check( OTF2_GlobalDefWriter_WriteParadigm( d, OTF2_PARADIGM_MPI, S_MPI, OTF2_PARADIGM_CLASS_PROCESS ) );
    }
    for ( uint32_t s = 0; s < S_COUNT; s++ ) {
        check( OTF2_GlobalDefWriter_WriteRegion( d, 100 + s, s, s, S_EMPTY, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MPI,
                                                 OTF2_REGION_FLAG_NONE, S_EMPTY, 0, 0 ) );
    }
    check( OTF2_GlobalDefWriter_WriteSystemTreeNode( d, 0, S_NAME, S_EMPTY, OTF2_UNDEFINED_SYSTEM_TREE_NODE ) );
    for ( uint32_t r = 0; r < RANKS; r++ ) {
#if OTF2_VERSION_MAJOR >= 3
        check( OTF2_GlobalDefWriter_WriteLocationGroup( d, r, S_NAME, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                        OTF2_UNDEFINED_LOCATION_GROUP ) );
#else
        check( OTF2_GlobalDefWriter_WriteLocationGroup( d, r, S_NAME, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0 ) );
#endif
    }
    for ( uint32_t r = 0; r < RANKS; r++ ) {
        uint64_t room    = UINT64_MAX - events[ r ];
        uint64_t defined = r > 0 ? events[ r ] : missing < room ? events[ r ] + missing : UINT64_MAX;
        check( OTF2_GlobalDefWriter_WriteLocation( d, LOCATIONS[ r ], S_NAME, OTF2_LOCATION_TYPE_CPU_THREAD, defined, r ) );
    }
    check( OTF2_GlobalDefWriter_WriteLocation( d, THREAD, S_WORK, OTF2_LOCATION_TYPE_CPU_THREAD, worked, 0 ) );
    for ( uint32_t t = 0; t < threads; t++ ) {
        check( OTF2_GlobalDefWriter_WriteLocation( d, 1000 + t, S_WORK, OTF2_LOCATION_TYPE_CPU_THREAD, UINT64_MAX, 0 ) );
    }
    group( d, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, RANKS, LOCATIONS );
    group( d, 1, OTF2_GROUP_TYPE_COMM_GROUP, RANKS, ( uint64_t[] ){ 0, 1, 2 } );
    group( d, 2, OTF2_GROUP_TYPE_COMM_GROUP, 2, ( uint64_t[] ){ 2, 1 } );
    group( d, 3, OTF2_GROUP_TYPE_COMM_SELF, 0, NULL );
    uint32_t groups[] = { 1, 2, 3, 1 };
    for ( uint32_t c = 0; c < 4; c++ ) {
        uint32_t parent = c == 0 || c == 2 ? OTF2_UNDEFINED_COMM : 0;
#if OTF2_VERSION_MAJOR >= 3
        check( OTF2_GlobalDefWriter_WriteComm( d, c, S_NAME, groups[ c ], parent, OTF2_COMM_FLAG_NONE ) );
#else
        check( OTF2_GlobalDefWriter_WriteComm( d, c, S_NAME, groups[ c ], parent ) );
#endif
    }
    for ( uint32_t w = 4; w < 6; w++ ) {
#if OTF2_VERSION_MAJOR >= 3
        check( OTF2_GlobalDefWriter_WriteRmaWin( d, w, S_NAME, w - 4, OTF2_RMA_WIN_FLAG_NONE ) );
#else
        check( OTF2_GlobalDefWriter_WriteRmaWin( d, w, S_NAME, w - 4 ) );
#endif
    }
    check( OTF2_Archive_CloseGlobalDefWriter( archive, d ) );
}

int main( int argc, char** argv )
{
    if ( argc < 3 ) {
        return 2;
    }
    bool windows = false;
    for ( int i = 3; i < argc; i++ ) {
        windows |= strcmp( argv[ i ], "one-sided" ) == 0;
        pause |= strcmp( argv[ i ], "pause" ) == 0;
        paradigms &= strcmp( argv[ i ], "no-paradigms" ) != 0;
        sscanf( argv[ i ], "receiver=%" SCNu32, &receiver );
        sscanf( argv[ i ], "root=%" SCNu32, &root );
        sscanf( argv[ i ], "target=%" SCNu32, &target );
        sscanf( argv[ i ], "threads=%" SCNu32, &threads );
        sscanf( argv[ i ], "missing=%" SCNu64, &missing );
    }
    int           iterations = atoi( argv[ 2 ] );
    OTF2_Archive* archive    = OTF2_Archive_Open( argv[ 1 ], "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
                                                  OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE );
    if ( !archive ) {
        return 1;
    }
    check( OTF2_Archive_SetFlushCallbacks( archive, &flushes, NULL ) );
    check( OTF2_Archive_SetSerialCollectiveCallbacks( archive ) );
    check( OTF2_Archive_OpenEvtFiles( archive ) );
    for ( int r = 0; r < RANKS; r++ ) {
        writer[ r ] = OTF2_Archive_GetEvtWriter( archive, LOCATIONS[ r ] );
    }
    OTF2_EvtWriter* thread = OTF2_Archive_GetEvtWriter( archive, THREAD );
    uint64_t        worked = 0;
    for ( int r = 0; r < RANKS; r++ ) {
        ENTER( r, S_MAIN );
        ENTER( r, S_INIT );
        LEAVE( r, S_INIT );
    }
    if ( windows ) {
        collective_of_window( 4, true );
        collective_of_window( 5, true );
    }
    if ( pause ) {
        EVENT( 1, MeasurementOnOff, OTF2_MEASUREMENT_OFF );
        now += 250000;
        EVENT( 1, MeasurementOnOff, OTF2_MEASUREMENT_ON );
        EVENT( 1, MeasurementOnOff, OTF2_MEASUREMENT_OFF );
        now += 250000;
        EVENT( 1, MeasurementOnOff, OTF2_MEASUREMENT_ON );
    }
    for ( int i = 0; i < iterations; i++ ) {
        communicate( i );
        if ( windows ) {
            one_sided( 2 * i );
        }
        if ( i % 10 == 0 ) {
            check( OTF2_EvtWriter_Enter( thread, NULL, ++now, 100 + S_WORK ) );
            check( OTF2_EvtWriter_Leave( thread, NULL, ++now, 100 + S_WORK ) );
            worked += 2;
        }
    }
    if ( windows ) {
        collective_of_window( 5, false );
        collective_of_window( 4, false );
    }
    for ( int r = 0; r < RANKS; r++ ) {
        ENTER( r, S_FINALIZE );
        LEAVE( r, S_FINALIZE );
        LEAVE( r, S_MAIN );
        check( OTF2_Archive_CloseEvtWriter( archive, writer[ r ] ) );
    }
    check( OTF2_Archive_CloseEvtWriter( archive, thread ) );
    check( OTF2_Archive_CloseEvtFiles( archive ) );
    check( OTF2_Archive_OpenDefFiles( archive ) );
    for ( int r = 0; r <= RANKS; r++ ) {
        OTF2_DefWriter* local = OTF2_Archive_GetDefWriter( archive, r < RANKS ? LOCATIONS[ r ] : THREAD );
        check( OTF2_Archive_CloseDefWriter( archive, local ) );
    }
    check( OTF2_Archive_CloseDefFiles( archive ) );
    definitions( archive, worked );
    check( OTF2_Archive_Close( archive ) );
    return 0;
}
