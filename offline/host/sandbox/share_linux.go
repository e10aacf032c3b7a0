package sandbox

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// shareFD is the child's end of the socket for descriptors, the first descriptor after stdio. The system call filter
// lets the child receive on this socket only.
const shareFD = 3

// newShare returns the two ends of the socket for files.
func newShare() (parent, child *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("socket for descriptors: %w", err)
	}
	return os.NewFile(uintptr(fds[0]), "share"), os.NewFile(uintptr(fds[1]), "share"), nil
}

// passFile sends a copy of f's descriptor. It does not wait: a child that does not take descriptors gets no more.
func passFile(socket, f *os.File) error {
	to, err := socket.SyscallConn()
	if err != nil {
		return err
	}
	from, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var sent error
	err = from.Control(func(fd uintptr) {
		rights := unix.UnixRights(int(fd))
		err := to.Control(func(s uintptr) {
			sent = unix.Sendmsg(int(s), []byte{0}, rights, nil, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
		})
		sent = errors.Join(sent, err)
	})
	return errors.Join(err, sent)
}

// passable reports whether f is a regular file of at least n bytes whose descriptor gives no right to write.
func passable(f *os.File, n int64) (ok bool) {
	raw, err := f.SyscallConn()
	if err != nil {
		return false
	}
	err = raw.Control(func(fd uintptr) {
		flags, err := unix.FcntlInt(fd, unix.F_GETFL, 0)
		var st unix.Stat_t
		ok = err == nil && flags&unix.O_ACCMODE == unix.O_RDONLY &&
			unix.Fstat(int(fd), &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFREG && st.Size >= n
	})
	return ok && err == nil
}

// memoryFile returns an empty file without a name.
func memoryFile() (*os.File, error) {
	fd, err := unix.MemfdCreate("tcode", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "tcode"), nil
}

// seal makes the content of a memoryFile immutable.
func seal(f *os.File) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var set error
	err = raw.Control(func(fd uintptr) {
		_, set = unix.FcntlInt(fd, unix.F_ADD_SEALS, unix.F_SEAL_WRITE|unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_SEAL)
	})
	return errors.Join(err, set)
}

// mapShared receives the next descriptor and maps n bytes of its file for reading.
func mapShared(n int) (mapping, error) {
	oob := make([]byte, unix.CmsgSpace(4))
	got, used, _, _, err := unix.Recvmsg(shareFD, make([]byte, 1), oob, unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("receive a descriptor: %w", err)
	}
	messages, err := unix.ParseSocketControlMessage(oob[:used])
	if err != nil || got != 1 || len(messages) != 1 {
		return nil, fmt.Errorf("no descriptor came: %w", ErrProtocol)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return nil, fmt.Errorf("no descriptor came: %w", ErrProtocol)
	}
	m, err := unix.Mmap(fds[0], 0, n, unix.PROT_READ, unix.MAP_SHARED)
	return m[:len(m):len(m)], errors.Join(err, unix.Close(fds[0]))
}

// drop is advice: a failure costs only memory.
func (m mapping) drop() { _ = unix.Madvise(m, unix.MADV_DONTNEED) }

func (m mapping) unmap() error { return unix.Munmap(m) }
