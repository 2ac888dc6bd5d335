/* Reads an OTF2 archive with libotf2 and hands definitions and events to library.rs in a form of its own.
 *
 * The library calls back for each record, with a function type for each kind, and these types changed between its versions. So
 * this part is in C, where the compiler checks them against the headers that are installed. Nothing calls back into Rust: records
 * are put into structures that Rust asks for, a batch at a time. */
#include <otf2/otf2.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum definition_kind { D_OTHER, D_CLOCK, D_STRING, D_LOCATION, D_REGION, D_GROUP, D_COMM, D_WINDOW };

enum group_type { G_OTHER, G_LOCATIONS, G_MEMBERS, G_ONESELF };

/* As `Definition` in library.rs. */
struct definition {
    uint32_t        kind;
    uint32_t        group_type;
    uint32_t        paradigm;
    uint32_t        length;
    uint64_t        id;
    uint64_t        first;
    uint64_t        second;
    const uint64_t* members;
    const char*     text;
};

enum event_kind {
    E_ENTER,
    E_LEAVE,
    E_SEND,
    E_ISEND,
    E_ISEND_COMPLETE,
    E_IRECV_REQUEST,
    E_RECV,
    E_IRECV,
    E_REQUEST_TEST,
    E_REQUEST_CANCELLED,
    E_COLLECTIVE_END,
    E_COLLECTIVE_REQUEST,
    E_COLLECTIVE_COMPLETE,
    E_PUT,
    E_GET,
    E_ATOMIC,
    E_COMPLETE,
    E_COMPLETE_BY_REQUEST,
    E_RELEASE_LOCK,
    E_WINDOW_COLLECTIVE_END,
    E_GROUP_SYNC,
    E_REQUEST_LOCK,
    E_ACQUIRE_LOCK,
    E_TRY_LOCK,
    E_SYNC,
    E_WAIT_CHANGE,
    E_OPERATION_TEST,
    E_RECORDING
};

/* As `Record` in library.rs: what the values mean depends on the kind. */
struct event {
    uint64_t location;
    uint64_t timestamp;
    uint64_t values[ 6 ];
    uint64_t kind;
};

struct archive {
    OTF2_Reader*          reader;
    OTF2_GlobalDefReader* definitions;
    OTF2_GlobalEvtReader* events;
    bool                  files_open;
    struct definition     definition;
    /* What the definition points into. */
    uint64_t*     members;
    size_t        members_size;
    char*         text;
    size_t        text_size;
    struct event* batch;
    size_t        batch_count, batch_size;
};

/* library.rs says the same of its own. */
_Static_assert( D_CLOCK == 1 && D_GROUP == 5 && D_WINDOW == 7, "definitions are numbered otherwise" );
_Static_assert( G_LOCATIONS == 1 && G_MEMBERS == 2 && G_ONESELF == 3, "groups are numbered otherwise" );
_Static_assert( E_ENTER == 0 && E_SEND == 2 && E_RECV == 6 && E_IRECV == 7 && E_COLLECTIVE_END == 10 && E_PUT == 13 && E_COMPLETE == 16
                && E_RELEASE_LOCK == 18 && E_REQUEST_LOCK == 21 && E_OPERATION_TEST == 26
                && E_RECORDING == 27,
                "events are numbered otherwise" );
_Static_assert( sizeof( struct event ) == 72 && offsetof( struct event, values ) == 16 && offsetof( struct event, kind ) == 64,
                "an event has another layout" );
_Static_assert( sizeof( struct definition ) == 40 + 2 * sizeof( void* ) && offsetof( struct definition, id ) == 16
                && offsetof( struct definition, members ) == 40,
                "a definition has another layout" );

/* Rust knows operations, MPI among the paradigms, and who is nobody by these numbers. */
_Static_assert( OTF2_COLLECTIVE_OP_BARRIER == 0 && OTF2_COLLECTIVE_OP_SCATTERV == 5 && OTF2_COLLECTIVE_OP_ALLTOALLW == 10
                && OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK == 16 && OTF2_COLLECTIVE_OP_CREATE_HANDLE == 17
                && OTF2_COLLECTIVE_OP_DESTROY_HANDLE_AND_DEALLOCATE == 22 && OTF2_PARADIGM_MPI == 4,
                "the operations are numbered otherwise" );
_Static_assert( OTF2_UNDEFINED_UINT32 == UINT32_MAX && OTF2_COLLECTIVE_ROOT_NONE == UINT32_MAX
                && OTF2_COLLECTIVE_ROOT_SELF == UINT32_MAX - 1,
                "nobody has another number" );
#if OTF2_VERSION_MAJOR >= 3
_Static_assert( OTF2_COLLECTIVE_ROOT_THIS_GROUP == UINT32_MAX - 2, "nobody has another number" );
#endif

/* Callbacks take all that the library tells, asked for or not. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* What the library said first since the last call: it goes on with what follows from it. */
static char message[ 512 ];

const char* mopsim_otf2_message( void )
{
    return message;
}

static OTF2_ErrorCode keep( void* data, const char* file, uint64_t line, const char* function, OTF2_ErrorCode code,
                            const char* format, va_list arguments )
{
    if ( message[ 0 ] == 0 ) {
        int length = snprintf( message, sizeof message, "%s: ", OTF2_Error_GetDescription( code ) );
        if ( length > 0 && (size_t)length < sizeof message ) {
            vsnprintf( message + length, sizeof message - length, format, arguments );
        }
    }
    return code;
}

/* Makes room for so many elements; false if there is no memory. */
static bool reserve( void** memory, size_t* size, size_t wanted, size_t element )
{
    if ( wanted <= *size ) {
        return true;
    }
    size_t more  = wanted > 2 * *size ? wanted : 2 * *size;
    void*  moved = more > SIZE_MAX / element ? NULL : realloc( *memory, more * element );
    if ( !moved ) {
        snprintf( message, sizeof message, "there is no memory for %zu elements", wanted );
        return false;
    }
    *memory = moved;
    *size   = more;
    return true;
}

#define DEFINE( ... ) \
    struct archive* a = data; \
    a->definition     = ( struct definition ){ __VA_ARGS__ }; \
    return OTF2_CALLBACK_SUCCESS

static OTF2_CallbackCode clock_properties( void* data, uint64_t resolution, uint64_t offset, uint64_t length
#if OTF2_VERSION_MAJOR >= 3
                                           ,
                                           uint64_t date
#endif
                                           )
{
    DEFINE( .kind = D_CLOCK, .first = resolution, .second = offset );
}

static OTF2_CallbackCode string( void* data, OTF2_StringRef self, const char* text )
{
    struct archive* a    = data;
    size_t          size = strlen( text ) + 1;
    if ( !reserve( (void**)&a->text, &a->text_size, size, 1 ) ) {
        return OTF2_CALLBACK_INTERRUPT;
    }
    memcpy( a->text, text, size );
    a->definition = ( struct definition ){ .kind = D_STRING, .id = self, .text = a->text };
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode location( void* data, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type, uint64_t events,
                                   OTF2_LocationGroupRef group )
{
    DEFINE( .kind = D_LOCATION, .id = self, .first = events );
}

static OTF2_CallbackCode region( void* data, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef canonical,
                                 OTF2_StringRef description, OTF2_RegionRole role, OTF2_Paradigm paradigm, OTF2_RegionFlag flags,
                                 OTF2_StringRef file, uint32_t begin, uint32_t end )
{
    DEFINE( .kind = D_REGION, .id = self, .first = name );
}

static OTF2_CallbackCode group( void* data, OTF2_GroupRef self, OTF2_StringRef name, OTF2_GroupType type, OTF2_Paradigm paradigm,
                                OTF2_GroupFlag flags, uint32_t count, const uint64_t* members )
{
    struct archive* a = data;
    if ( !reserve( (void**)&a->members, &a->members_size, (size_t)count + 1, sizeof( uint64_t ) ) ) {
        return OTF2_CALLBACK_INTERRUPT;
    }
    if ( count > 0 ) {
        memcpy( a->members, members, count * sizeof( uint64_t ) );
    }
    uint32_t known = type == OTF2_GROUP_TYPE_COMM_LOCATIONS ? G_LOCATIONS
                     : type == OTF2_GROUP_TYPE_COMM_GROUP   ? G_MEMBERS
                     : type == OTF2_GROUP_TYPE_COMM_SELF    ? G_ONESELF
                                                            : G_OTHER;
    a->definition = ( struct definition ){ .kind       = D_GROUP,
                                           .group_type = known,
                                           .paradigm   = paradigm,
                                           .length     = count,
                                           .id         = self,
                                           .members    = a->members };
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode communicator( void* data, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef members, OTF2_CommRef parent
#if OTF2_VERSION_MAJOR >= 3
                                       ,
                                       OTF2_CommFlag flags
#endif
                                       )
{
    DEFINE( .kind = D_COMM, .id = self, .first = members );
}

static OTF2_CallbackCode window( void* data, OTF2_RmaWinRef self, OTF2_StringRef name, OTF2_CommRef comm
#if OTF2_VERSION_MAJOR >= 3
                                 ,
                                 OTF2_RmaWinFlag flags
#endif
                                 )
{
    DEFINE( .kind = D_WINDOW, .id = self, .first = comm );
}

/* Every event begins with these. */
#define HEAD OTF2_LocationRef at, OTF2_TimeStamp time, void *data, OTF2_AttributeList *attributes

#define RECORD( k, ... ) \
    { \
        struct archive* a = data; \
        if ( a->batch_count >= a->batch_size ) { \
            return OTF2_CALLBACK_INTERRUPT; \
        } \
        a->batch[ a->batch_count++ ] = \
            ( struct event ){ .location = at, .timestamp = time, .kind = ( k ), .values = { __VA_ARGS__ } }; \
        return OTF2_CALLBACK_SUCCESS; \
    }

#define MESSAGE( name, kind ) \
    static OTF2_CallbackCode name( HEAD, uint32_t other, OTF2_CommRef comm, uint32_t tag, uint64_t bytes ) \
        RECORD( kind, other, comm, tag, bytes )
#define MESSAGE_OF( name, kind ) \
    static OTF2_CallbackCode name( HEAD, uint32_t other, OTF2_CommRef comm, uint32_t tag, uint64_t bytes, uint64_t request ) \
        RECORD( kind, other, comm, tag, bytes, request )
#define REQUEST( name, kind ) static OTF2_CallbackCode name( HEAD, uint64_t request ) RECORD( kind, request )
#define OPERATION( name, kind ) \
    static OTF2_CallbackCode name( HEAD, OTF2_RmaWinRef win, uint64_t operation ) RECORD( kind, win, operation )
#define LOCK( name, kind ) \
    static OTF2_CallbackCode name( HEAD, OTF2_RmaWinRef win, uint32_t target, uint64_t lock, OTF2_LockType type ) RECORD( kind, 0 )

MESSAGE( send, E_SEND )
MESSAGE( receive, E_RECV )
MESSAGE_OF( isend, E_ISEND )
MESSAGE_OF( ireceive, E_IRECV )
REQUEST( isend_complete, E_ISEND_COMPLETE )
REQUEST( irecv_request, E_IRECV_REQUEST )
REQUEST( request_test, E_REQUEST_TEST )
REQUEST( request_cancelled, E_REQUEST_CANCELLED )
REQUEST( collective_request, E_COLLECTIVE_REQUEST )
OPERATION( complete, E_COMPLETE )
OPERATION( complete_by_request, E_COMPLETE_BY_REQUEST )
OPERATION( operation_test, E_OPERATION_TEST )
LOCK( request_lock, E_REQUEST_LOCK )
LOCK( acquire_lock, E_ACQUIRE_LOCK )
LOCK( try_lock, E_TRY_LOCK )

static OTF2_CallbackCode enter( HEAD, OTF2_RegionRef region ) RECORD( E_ENTER, region )
static OTF2_CallbackCode leave( HEAD, OTF2_RegionRef region ) RECORD( E_LEAVE, region )
static OTF2_CallbackCode collective_end( HEAD, OTF2_CollectiveOp operation, OTF2_CommRef comm, uint32_t root, uint64_t sent,
                                         uint64_t received ) RECORD( E_COLLECTIVE_END, operation, comm, root, sent, received )
static OTF2_CallbackCode collective_complete( HEAD, OTF2_CollectiveOp operation, OTF2_CommRef comm, uint32_t root, uint64_t sent,
                                              uint64_t received, uint64_t request )
    RECORD( E_COLLECTIVE_COMPLETE, operation, comm, root, sent, received, request )
static OTF2_CallbackCode put( HEAD, OTF2_RmaWinRef win, uint32_t target, uint64_t bytes, uint64_t operation )
    RECORD( E_PUT, win, target, bytes, operation )
static OTF2_CallbackCode get( HEAD, OTF2_RmaWinRef win, uint32_t target, uint64_t bytes, uint64_t operation )
    RECORD( E_GET, win, target, bytes, operation )
static OTF2_CallbackCode atomic( HEAD, OTF2_RmaWinRef win, uint32_t target, OTF2_RmaAtomicType type, uint64_t sent, uint64_t received,
                                 uint64_t operation ) RECORD( E_ATOMIC, win, target, sent, received, operation )
static OTF2_CallbackCode release_lock( HEAD, OTF2_RmaWinRef win, uint32_t target, uint64_t lock )
    RECORD( E_RELEASE_LOCK, win, target )
static OTF2_CallbackCode window_collective_end( HEAD, OTF2_CollectiveOp operation, OTF2_RmaSyncLevel level, OTF2_RmaWinRef win,
                                                uint32_t root, uint64_t sent, uint64_t received )
    RECORD( E_WINDOW_COLLECTIVE_END, operation, win )
static OTF2_CallbackCode group_sync( HEAD, OTF2_RmaSyncLevel level, OTF2_RmaWinRef win, OTF2_GroupRef members )
    RECORD( E_GROUP_SYNC, 0 )
static OTF2_CallbackCode sync( HEAD, OTF2_RmaWinRef win, uint32_t target, OTF2_RmaSyncType type ) RECORD( E_SYNC, 0 )
static OTF2_CallbackCode wait_change( HEAD, OTF2_RmaWinRef win ) RECORD( E_WAIT_CHANGE, 0 )
static OTF2_CallbackCode recording( HEAD, OTF2_MeasurementMode mode ) RECORD( E_RECORDING, mode == OTF2_MEASUREMENT_ON )

void mopsim_otf2_close( struct archive* a )
{
    if ( !a ) {
        return;
    }
    if ( a->events ) {
        OTF2_Reader_CloseGlobalEvtReader( a->reader, a->events );
    }
    if ( a->files_open ) {
        OTF2_Reader_CloseEvtFiles( a->reader );
    }
    if ( a->reader ) {
        OTF2_Reader_Close( a->reader );
    }
    free( a->members );
    free( a->text );
    free( a );
}

/* Opens an archive by its anchor file; NULL if it cannot be read. */
struct archive* mopsim_otf2_open( const char* anchor )
{
    message[ 0 ] = 0;
    OTF2_Error_RegisterCallback( keep, NULL );
    struct archive* a = calloc( 1, sizeof *a );
    if ( !a ) {
        return NULL;
    }
    a->reader                            = OTF2_Reader_Open( anchor );
    OTF2_GlobalDefReaderCallbacks* calls = OTF2_GlobalDefReaderCallbacks_New();
    bool                           ready = a->reader && calls && OTF2_Reader_SetSerialCollectiveCallbacks( a->reader ) == OTF2_SUCCESS;
    a->definitions                       = ready ? OTF2_Reader_GetGlobalDefReader( a->reader ) : NULL;
    ready                                = a->definitions
            && OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback( calls, clock_properties ) == OTF2_SUCCESS
            && OTF2_GlobalDefReaderCallbacks_SetStringCallback( calls, string ) == OTF2_SUCCESS
            && OTF2_GlobalDefReaderCallbacks_SetLocationCallback( calls, location ) == OTF2_SUCCESS
            && OTF2_GlobalDefReaderCallbacks_SetRegionCallback( calls, region ) == OTF2_SUCCESS
            && OTF2_GlobalDefReaderCallbacks_SetGroupCallback( calls, group ) == OTF2_SUCCESS
            && OTF2_GlobalDefReaderCallbacks_SetCommCallback( calls, communicator ) == OTF2_SUCCESS
            && OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback( calls, window ) == OTF2_SUCCESS
            && OTF2_Reader_RegisterGlobalDefCallbacks( a->reader, a->definitions, calls, a ) == OTF2_SUCCESS;
    if ( calls ) {
        OTF2_GlobalDefReaderCallbacks_Delete( calls );
    }
    if ( !ready ) {
        mopsim_otf2_close( a );
        return NULL;
    }
    return a;
}

/* The next definition: 1 if there is one, 0 if there is none left, -1 if it cannot be read. It lives until the next call. */
int mopsim_otf2_definition( struct archive* a, struct definition* definition )
{
    uint64_t read = 0;
    message[ 0 ]  = 0;
    a->definition = ( struct definition ){ .kind = D_OTHER };
    if ( OTF2_Reader_ReadGlobalDefinitions( a->reader, a->definitions, 1, &read ) != OTF2_SUCCESS ) {
        return -1;
    }
    *definition = a->definition;
    return read > 0;
}

/* The kinds of events, their callbacks, and how the library calls them. */
#define EVENTS( X ) \
    X( Enter, enter ) \
    X( Leave, leave ) \
    X( MpiSend, send ) \
    X( MpiIsend, isend ) \
    X( MpiIsendComplete, isend_complete ) \
    X( MpiIrecvRequest, irecv_request ) \
    X( MpiRecv, receive ) \
    X( MpiIrecv, ireceive ) \
    X( MpiRequestTest, request_test ) \
    X( MpiRequestCancelled, request_cancelled ) \
    X( MpiCollectiveEnd, collective_end ) \
    X( RmaPut, put ) \
    X( RmaGet, get ) \
    X( RmaAtomic, atomic ) \
    X( RmaOpCompleteBlocking, complete ) \
    X( RmaOpCompleteRemote, complete ) \
    X( RmaOpCompleteNonBlocking, complete_by_request ) \
    X( RmaOpTest, operation_test ) \
    X( RmaReleaseLock, release_lock ) \
    X( RmaCollectiveEnd, window_collective_end ) \
    X( RmaGroupSync, group_sync ) \
    X( RmaRequestLock, request_lock ) \
    X( RmaAcquireLock, acquire_lock ) \
    X( RmaTryLock, try_lock ) \
    X( RmaSync, sync ) \
    X( RmaWaitChange, wait_change ) \
    X( MeasurementOnOff, recording )

/* Opens the events of these locations, once all definitions are read: 0, or -1 if they cannot be read. Others, such as threads, may be
   many, and each would have a file open and a part of it in memory. */
int mopsim_otf2_begin( struct archive* a, const uint64_t* locations, size_t count )
{
    for ( size_t i = 0; i < count; i++ ) {
        if ( OTF2_Reader_SelectLocation( a->reader, locations[ i ] ) != OTF2_SUCCESS ) {
            return -1;
        }
    }
    /* What a location calls things is mapped to the global names; archives without such files need none. */
    bool local = OTF2_Reader_OpenDefFiles( a->reader ) == OTF2_SUCCESS;
    if ( OTF2_Reader_OpenEvtFiles( a->reader ) != OTF2_SUCCESS ) {
        return -1;
    }
    a->files_open = true;
    size_t named  = 0;
    for ( size_t i = 0; i < count; i++ ) {
        OTF2_DefReader* names = local ? OTF2_Reader_GetDefReader( a->reader, locations[ i ] ) : NULL;
        if ( names ) {
            named++;
            uint64_t       read = 0;
            OTF2_ErrorCode code = OTF2_Reader_ReadAllLocalDefinitions( a->reader, names, &read );
            OTF2_Reader_CloseDefReader( a->reader, names );
            if ( code != OTF2_SUCCESS ) {
                return -1;
            }
        }
        message[ 0 ] = 0;
        if ( !OTF2_Reader_GetEvtReader( a->reader, locations[ i ] ) ) {
            return -1;
        }
    }
    if ( local ) {
        OTF2_Reader_CloseDefFiles( a->reader );
    }
    if ( named > 0 && named < count ) {
        snprintf( message, sizeof message, "of %zu ranks only %zu have a file of definitions", count, named );
        return -1;
    }
    message[ 0 ]                         = 0;
    a->events                            = OTF2_Reader_GetGlobalEvtReader( a->reader );
    OTF2_GlobalEvtReaderCallbacks* calls = OTF2_GlobalEvtReaderCallbacks_New();
    bool                           ready = a->events && calls;
#define SET( name, function ) \
    ready = ready && OTF2_GlobalEvtReaderCallbacks_Set##name##Callback( calls, function ) == OTF2_SUCCESS;
    EVENTS( SET )
#if OTF2_VERSION_MAJOR >= 3
    SET( NonBlockingCollectiveRequest, collective_request )
    SET( NonBlockingCollectiveComplete, collective_complete )
#else
    (void)collective_request, (void)collective_complete;
#endif
    ready = ready && OTF2_Reader_RegisterGlobalEvtCallbacks( a->reader, a->events, calls, a ) == OTF2_SUCCESS;
    if ( calls ) {
        OTF2_GlobalEvtReaderCallbacks_Delete( calls );
    }
    return ready ? 0 : -1;
}

/* Reads at most `size` events, those of all locations that are open in the order of time, and puts those of communication into `batch`: how many of these,
   or -1. `read` tells how many events there were at all; none at the end. */
int64_t mopsim_otf2_events( struct archive* a, struct event* batch, size_t size, uint64_t* read )
{
    message[ 0 ]   = 0;
    a->batch       = batch;
    a->batch_size  = size;
    a->batch_count = 0;
    bool fine      = OTF2_Reader_ReadGlobalEvents( a->reader, a->events, size, read ) == OTF2_SUCCESS;
    a->batch       = NULL;
    a->batch_size  = 0;
    return fine ? (int64_t)a->batch_count : -1;
}
