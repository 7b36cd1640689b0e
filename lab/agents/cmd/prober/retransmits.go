package main

import (
	"net"
	"syscall"
	"unsafe"
)

// tcpInfo is the beginning of struct tcp_info (linux/tcp.h), up to tcpi_total_retrans.
type tcpInfo struct {
	_            [8]uint8
	_            [23]uint32
	totalRetrans uint32
}

// retransmits counts the segments that were sent again; right after connect these are SYNs.
func retransmits(conn net.Conn) int {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return 0
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return 0
	}
	var info tcpInfo
	size := uint32(unsafe.Sizeof(info))
	var errno syscall.Errno
	if err := raw.Control(func(fd uintptr) {
		_, _, errno = syscall.Syscall6(syscall.SYS_GETSOCKOPT, fd, syscall.IPPROTO_TCP, syscall.TCP_INFO,
			uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0)
	}); err != nil || errno != 0 {
		return 0
	}
	return int(info.totalRetrans)
}
