from bayplan.signals.kv_events.sequence import MessageSequence, Verdict


def taken(*pairs):
    """Verdicts on messages that are all used."""
    sequence, found = MessageSequence(), []
    for number, time_s in pairs:
        found.append(sequence.judge(number, time_s))
        if found[-1] is not Verdict.DUPLICATE:
            sequence.take(number, time_s)
    return found, sequence


def test_the_first_is_next_whatever_its_number():
    assert taken((7, 1.0), (8, 2.0))[0] == [Verdict.NEXT, Verdict.NEXT]


def test_gaps_are_counted():
    verdicts, sequence = taken((0, 1.0), (3, 2.0), (4, 3.0))

    assert verdicts == [Verdict.NEXT, Verdict.GAP, Verdict.NEXT]
    assert sequence.missed == 2


def test_what_came_before():
    assert taken((5, 5.0), (5, 5.0), (4, 4.0))[0] == [Verdict.NEXT, Verdict.DUPLICATE, Verdict.DUPLICATE]


def test_a_lower_number_that_was_made_later_is_a_restart():
    verdicts, sequence = taken((5, 5.0), (0, 6.0))

    assert verdicts == [Verdict.NEXT, Verdict.RESTART]
    assert sequence.last == 0
    assert sequence.missed == 0


def test_beginning_anew():
    _, sequence = taken((5, 5.0))
    sequence.begin_anew()

    assert sequence.judge(2, 6.0) is Verdict.NEXT
