//! Large networks of every family.

use crate::support;
use mopsim::topology::build;

#[test]
fn large_networks_are_built_quickly() {
    // Generous: the point is that none of them takes a time that grows with the square of its size.
    for spec in [
        "torus:256x256",
        "hypercube:16",
        "hyperx:16x16x256",
        "flattened_butterfly:k=16,n=5",
        "ccc:12",
        "tree:k=4,h=8",
        "dln:n=65536,x=10",
        "dln_random:n=65536,x=4,y=4",
        "random_ring:n=65536,y=4",
        "dsn:65536",
        "dsnf:65536",
        "equality:n=65536,sa=[-1,1,99,2001],sb=[64,512]",
        "random_directed:n=65536,d=8",
        "random_swapping:base=torus:256x256",
        "imase_itoh:n=65536,d=8",
        "de_bruijn:d=4,k=8",
        "kautz:d=4,k=8",
        "mddp_directed:n=60000,d=8",
        "slimfly:q=179",
        "polarstar:q=37,k=16",
        "bundlefly:q=17,m=61",
        "spectralfly:p=53,q=61",
        "xpander:d=30,k=1000",
        "hxmesh:a=4,b=4,x=64,y=64",
        "tofu:24x23x24",
        "dragonfly_plus:l=32,s=32,h=32,g=128,p=32",
        "dragonfly:a=32,h=17,g=74,p=16,t=7",
        "polarity:q=251",
        "dragonfly:a=32,h=16,g=513,p=16",
        "fat_tree3:k=96",
        "kary_ntree:k=16,n=4",
        "xgft:m=[16,16,16,16],w=[1,16,16,16]",
        "clos:m=256,n=256,r=256",
        "skywalk:z=16,c=4096,di=7,do=4",
        "random_regular:n=65536,d=8",
        "random_regular:n=3000,d=2998",
    ] {
        let begin = support::processor_seconds_of_thread();
        let graph = build(spec).unwrap().graph;
        let seconds = support::processor_seconds_of_thread() - begin;
        println!("{seconds:.3} s  {spec}: {} switches, {} cables", graph.switches(), graph.cables());
        assert!(seconds < 20.0, "{spec} took {seconds} s");
    }
}
