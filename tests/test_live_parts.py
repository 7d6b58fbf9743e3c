"""The parts of a live source: mailbox, counters, pairs of two devices, what cameras are asked."""

import errno
import threading
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from wheatstone.viewer.io.footage import cameras
from wheatstone.viewer.io.footage.address import Address, check_device, is_live, refused
from wheatstone.viewer.io.footage.capture import Capture
from wheatstone.viewer.io.footage.counters import ArrivalClock, Counters, Gaps
from wheatstone.viewer.io.footage.pairing import Mailbox, Pairing, Shot, ShotPictures
from wheatstone.viewer.io.sources.source_spec import SourceSpec

PERIOD = 1 / 30


def shot(time: float, period: float = PERIOD) -> Shot:
    return Shot(np.zeros((2, 2), np.uint8), time, period)


def test_a_mailbox_holds_the_newest_and_counts_the_others() -> None:
    box = Mailbox[int]()
    assert box.take() is None and not box.full
    for number in range(5):
        box.put(number)
    assert box.full and box.take() == 4 and box.take() is None
    assert box.replaced == 4


def test_who_takes_waits_for_who_puts() -> None:
    box = Mailbox[str]()
    threading.Timer(0.05, box.put, ["came"]).start()
    assert box.take(timeout=10) == "came"


def test_gaps_in_time_stamps_are_frames_that_were_lost() -> None:
    gaps = Gaps(30.0)
    for number in (0, 1, 2, 5, 6, 7, 9):  # 3, 4 and 8 never came
        gaps.add(number / 30)
    assert gaps.lost == 3 and gaps.period == pytest.approx(1 / 30)


def test_jitter_and_a_stream_that_begins_again_lose_nothing() -> None:
    gaps = Gaps()
    for time in (0.0, 0.031, 0.068, 0.1, 0.139, 0.0, 0.033, 0.067, 3600.0, 3600.033):
        gaps.add(time)
    assert gaps.lost == 0


def test_a_camera_that_halves_its_rate_is_not_losing_frames_for_ever() -> None:
    gaps = Gaps(30.0)
    for number in range(200):
        gaps.add(number / 15)
    assert gaps.lost < 20 and gaps.period == pytest.approx(1 / 15)


def test_what_came_soonest_tells_how_late_the_others_are() -> None:
    clock = ArrivalClock()
    ages = [came - clock.taken(stamp, came) for stamp, came in ((0, 7.2), (1, 8.0), (2, 9.7))]
    assert ages == pytest.approx([0.0, 0.0, 0.7])
    assert clock.taken(0.5, 20.0) == 20.0  # the stamps began anew


def test_counters_are_reported_separately() -> None:
    words = Counters(12345, 6, 0, 0, 70, 80, 30.0, 0.0125, None).words
    assert words == ("received 12,345", "lost 6", "replaced 70", "shown 80", "age 12 ms")
    assert Counters(damaged=1, unpaired=2, skew=-1.25, age=3.0).words[1:] == (
        *("lost 0", "damaged 1", "unpaired 2", "replaced 0", "shown 0"),
        *("age 3.0 s", "skew -1.2 ms"),
    )


def paired(*added: tuple[int, float]) -> tuple[list[ShotPictures], Pairing]:
    pairing = Pairing()
    made = [pairing.add(side, shot(time)) for side, time in added]
    return [pair for pair in made if pair], pairing


def test_frames_of_one_time_are_paired_whatever_their_numbers() -> None:
    pairs, pairing = paired((0, 0.0), (0, 0.0333), (1, 0.0340), (0, 0.0667), (1, 0.0660))
    assert [tuple(shot.time for shot in pair.shots) for pair in pairs] == [
        (0.0333, 0.034),
        (0.0667, 0.066),
    ]
    assert [round(pair.skew or 0, 1) for pair in pairs] == [0.7, -0.7]
    assert pairing.unpaired == 1


def test_more_than_half_a_period_apart_is_no_pair() -> None:
    pairs, pairing = paired((0, 0.0), (1, 0.02), (0, 0.1), (1, 0.08))
    assert not pairs and pairing.unpaired == 3
    assert len(paired((0, 0.0), (1, 0.016))[0]) == 1


def test_a_device_that_sends_alone_keeps_nothing_for_ever() -> None:
    pairs, pairing = paired(*((0, number * PERIOD) for number in range(100)))
    assert not pairs and pairing.unpaired == 100 - 8
    again = pairing.add(1, shot(99 * PERIOD))
    assert again and again.shots[0].time == 99 * PERIOD


@pytest.mark.parametrize(
    ("address", "live"),
    [
        *((f"{scheme}://host/x", True) for scheme in ("rtsp", "tcp", "udp", "http", "https")),
        *(("/dev/video0", True), ("lavfi:testsrc", True), ("-", True), ("pipe:", True)),
        *(("left.png", False), ("/dev/null", False), ("folder", False), ("film.mp4", False)),
    ],
)
def test_addresses_are_distinguished_from_files(address: str, live: bool) -> None:
    assert is_live(address) == live


def test_a_password_is_not_shown() -> None:
    address = Address("rtsp://user:secret@camera.local:554/1")
    assert address.name == "rtsp://camera.local:554/1" and "secret" in address.word


@pytest.mark.parametrize("message", ["12", "0x5", "axb", "-1x2", "99999x1", "1x2x3"])
def test_impossible_sizes_are_refused(message: str) -> None:
    with pytest.raises(ValueError, match="video size"):
        Capture(video_size=message)


def test_only_a_camera_can_be_asked_for_something() -> None:
    asked = Capture("1280x720", 30.0, "mjpeg")
    assert asked.options == {"video_size": "1280x720", "framerate": "30", "input_format": "mjpeg"}
    assert Address("/dev/video7", asked).kind == "device"
    with pytest.raises(ValueError, match="no camera that could be asked for 1280x720, 30, mjpeg"):
        Address("udp://0.0.0.0:1", asked)
    for wrong in ({"frame_rate": "nan"}, {"frame_rate": "x"}, {"input_format": "a b"}):
        with pytest.raises(ValueError, match=r"frame.rate|input format"):
            SourceSpec.from_dict(wrong)


def stream(size: tuple[int, int], rate: int, name: str) -> Any:
    coded = SimpleNamespace(width=size[0], height=size[1], pix_fmt="yuvj422p", name=name)
    return SimpleNamespace(codec_context=coded, average_rate=Fraction(rate), guessed_rate=None)


def test_what_is_granted_is_compared_with_what_was_asked() -> None:
    asked = Capture("2560x720", 60.0, "mjpeg")
    assert asked.note("/dev/video0", stream((2560, 720), 60, "mjpeg")) == ""
    assert asked.note("/dev/video0", stream((1280, 720), 30, "mjpeg")) == (
        "/dev/video0 delivers 1280x720 at 30 fps, mjpeg, not 2560x720, 60 as asked"
    )


def test_a_camera_that_is_not_there_is_reported_with_those_that_are() -> None:
    with pytest.raises(FileNotFoundError, match=r"no such camera; there is"):
        check_device("/dev/video987")


@pytest.mark.parametrize(
    ("number", "capture", "message"),
    [
        (errno.EBUSY, Capture(), "another program has it"),
        (errno.EINVAL, Capture(input_format="h264"), "does not deliver h264"),
        (errno.ENOTTY, Capture(), "no camera that delivers pictures"),
        (errno.EIO, Capture(), "cannot be read"),
    ],
)
def test_why_a_camera_is_refused_is_one_line(number: int, capture: Capture, message: str) -> None:
    error = refused(Address("/dev/video0", capture), OSError(number, "what the system says"))
    assert message in str(error) and "\n" not in str(error)


class Driver:
    """Answers as a driver with two formats would: one with sizes and rates, one with a range."""

    formats = (b"MJPG", b"YUYV")
    sizes = ((2560, 720), (1280, 480))
    rates = ((1, 30), (2, 15))

    def __init__(self, capabilities: int = 0x80000001, own: int = 1) -> None:
        self._answer = cameras.CAPABILITY.pack(
            b"uvc", b"Twin \x1b eye", b"usb", 1, capabilities, own
        )

    def __call__(self, request: int, argument: bytes) -> bytes:
        if request == cameras.QUERY_CAPABILITY:
            return self._answer
        index = int.from_bytes(argument[:4], "little")
        if request == cameras.LIST_FORMATS:
            return cameras.FORMAT.pack(index, 1, 0, b"", self._of(self.formats, index), 0)
        code = argument[4:8]
        if request == cameras.LIST_SIZES:
            if code == b"YUYV":
                return cameras.SIZE.pack(index, code, 3, 16, 1920, 16, 8, 1080, 8)
            width, height = self._of(self.sizes, index)
            return cameras.SIZE.pack(index, code, 1, width, height, 0, 0, 0, 0)
        seconds, parts = self._of(self.rates, index)
        return cameras.INTERVAL.pack(index, code, 0, 0, 1, seconds, parts, 0, 0, 0, 0)

    def _of(self, listed: Any, index: int) -> Any:
        if index >= len(listed):
            raise OSError(errno.EINVAL, "the list is at its end")
        return listed[index]


def test_a_driver_is_asked_for_all_it_delivers() -> None:
    camera = cameras.camera_of("/dev/video0", Driver())
    assert camera and camera.name == r"Twin \x1b eye"
    assert camera.modes == (
        cameras.Mode("mjpeg", "2560x720", (30.0, 7.5)),
        cameras.Mode("mjpeg", "1280x480", (30.0, 7.5)),
        cameras.Mode("yuyv422", "16x8 to 1920x1080", ()),
    )


def test_what_takes_no_pictures_is_no_camera() -> None:
    assert cameras.camera_of("/dev/video1", Driver(own=0x800000)) is None


def test_requests_are_those_of_the_kernel() -> None:
    numbers = (
        2154321408,
        3225441794,
        3224131146,
        3224655435,
    )  # of linux/videodev2.h, by a compiler
    asked = cameras.QUERY_CAPABILITY, cameras.LIST_FORMATS, cameras.LIST_SIZES
    assert (*asked, cameras.LIST_INTERVALS) == numbers
