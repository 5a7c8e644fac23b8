# A line with long round trips, between this network namespace and one behind it, where the program of the arguments serves.
# A packet to 10.99.N.x arrives after half the round trip of its N: 0 and 1 are 300 and 2,000 ms. IPv6 is swallowed.
import ctypes, fcntl, heapq, os, select, struct, subprocess, sys, time

ROUND_TRIPS = [0.3, 2.0]
TUNSETIFF, IFF_TUN, IFF_NO_PI, CLONE_NEWNET = 0x400454CA, 0x0001, 0x1000, 0x40000000

def tun(name, *addresses):
    device = os.open('/dev/net/tun', os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack('16sH', name.encode(), IFF_TUN | IFF_NO_PI))
    subprocess.check_call(['ip', 'link', 'set', name, 'up'])
    for address in addresses:
        subprocess.check_call(['ip', 'addr', 'add', address, 'dev', name])
    return device

near = tun('near', '10.9.0.1/24', '2001:db8:9::1/64')
subprocess.check_call(['ip', 'route', 'add', '10.99.0.0/16', 'dev', 'near'])
subprocess.check_call(['ip', '-6', 'route', 'add', '2001:db8:99::/64', 'dev', 'near'])
if ctypes.CDLL(None).unshare(CLONE_NEWNET) != 0:
    sys.exit('unshare failed')
subprocess.check_call(['ip', 'link', 'set', 'lo', 'up'])
far = tun('far', *[f'10.99.{n}.{host}/32' for n in range(len(ROUND_TRIPS)) for host in (1, 2)])
subprocess.check_call(['ip', 'route', 'add', '10.9.0.0/24', 'dev', 'far'])
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)
parent, queue, number = os.getppid(), [], 0
try:
    while os.getppid() == parent and server.poll() is None:
        wait = 0.2 if not queue else max(0, min(0.2, queue[0][0] - time.monotonic()))
        for device in select.select([near, far], [], [], wait)[0]:
            packet = os.read(device, 65536)
            if packet[0] >> 4 != 4:
                continue
            remote = packet[16:20] if device == near else packet[12:16]
            number += 1
            due = time.monotonic() + ROUND_TRIPS[remote[2]] / 2
            heapq.heappush(queue, (due, number, far if device == near else near, packet))
        while queue and queue[0][0] <= time.monotonic():
            _, _, device, packet = heapq.heappop(queue)
            os.write(device, packet)
finally:
    server.kill()
