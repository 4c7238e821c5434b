"""Publishes what the outbox of outbox.sql contains. It may be killed and started again at any time, because it
deletes rows only after Kafka has stored their events, and repeats events with higher versions:
DATABASE_URL=postgresql://user@localhost/market KAFKA_BROKERS=localhost:9092 python3 relay.py"""
import os, signal, sys, time
import psycopg
from confluent_kafka import KafkaException, Producer

TOPIC = os.environ.get("LISTING_EVENTS_TOPIC", "marketplace.listing-events")
PAUSE_S, AGAIN_S, ROWS = 0.5, 5, 500

def relay(database, producer):
    numbers, keys, events = database.execute("SELECT * FROM listing_events(%s)", (ROWS,)).fetchone()
    if numbers is None:  # The outbox is empty, or another relay is at work.
        return time.sleep(PAUSE_S)
    failures = []
    for key, event in zip(keys, events):
        producer.produce(TOPIC, event, key, on_delivery=lambda error, _: error and failures.append(error))
    producer.flush()
    if failures:
        raise KafkaException(failures[0])
    database.execute("DELETE FROM outbox WHERE number = ANY(%s)", (numbers,))
    print(f"published {len(events)} events", flush=True)

signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends the program like every other kill.
while True:
    try:
        # An idempotent producer waits for all replicas (acks=all). The Java client uses the same partitioner.
        producer = Producer({"bootstrap.servers": os.environ.get("KAFKA_BROKERS", "localhost:9092"),
            "enable.idempotence": True, "partitioner": "murmur2_random",
            "delivery.timeout.ms": 60_000, "message.max.bytes": 2_000_000})
        # Outside of a transaction, as listing_events requires.
        with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as database:
            while True:
                relay(database, producer)
    except (psycopg.Error, KafkaException) as error:
        print(f"{error}. The relay starts over in {AGAIN_S} seconds.", file=sys.stderr, flush=True)
        time.sleep(AGAIN_S)
