import java.sql.*;
import java.util.*;
import java.util.concurrent.*;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Publishes what the outbox of outbox.sql contains. It may be killed and started again at any time, because it
 * deletes rows only after Kafka has stored their events, and repeats events with higher versions:
 * mvn dependency:copy-dependencies -DoutputDirectory=lib
 * DATABASE_URL=jdbc:postgresql://localhost/market?user=me KAFKA_BROKERS=localhost:9092 java -cp 'lib/*' Relay.java
 */
class Relay {
    static final String TOPIC = setting("LISTING_EVENTS_TOPIC", "marketplace.listing-events");
    static final int PAUSE_MS = 500, AGAIN_MS = 5_000, ROWS = 500;

    public static void main(String[] arguments) throws InterruptedException {
        System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "warn");
        while (true) {
            // An idempotent producer waits for all replicas (acks=all).
            Map<String, Object> settings = Map.of("bootstrap.servers", setting("KAFKA_BROKERS", "localhost:9092"),
                "enable.idempotence", true, "delivery.timeout.ms", 60_000, "request.timeout.ms", 20_000);
            // Outside of a transaction, as listing_events requires: JDBC's default is one per statement.
            try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
                    var database = DriverManager.getConnection(setting("DATABASE_URL", ""));
                    var take = database.prepareStatement("SELECT * FROM listing_events(" + ROWS + ")");
                    var delete = database.prepareStatement("DELETE FROM outbox WHERE number = ANY(?)")) {
                while (true) relay(take, delete, producer);
            } catch (SQLException | ExecutionException | KafkaException error) {
                System.err.println(error + ". The relay starts over in " + AGAIN_MS / 1_000 + " seconds.");
                Thread.sleep(AGAIN_MS);
            }
        }
    }

    static void relay(PreparedStatement take, PreparedStatement delete, Producer<String, String> producer)
            throws SQLException, InterruptedException, ExecutionException {
        try (var batch = take.executeQuery()) {
            batch.next();
            var numbers = batch.getArray("numbers");
            if (numbers == null) { // The outbox is empty, or another relay is at work.
                Thread.sleep(PAUSE_MS);
                return;
            }
            var keys = (String[]) batch.getArray("keys").getArray();
            var events = (String[]) batch.getArray("events").getArray();
            var acknowledgments = new ArrayList<Future<RecordMetadata>>();
            for (int i = 0; i < events.length; i++)
                acknowledgments.add(producer.send(new ProducerRecord<>(TOPIC, keys[i], events[i])));
            producer.flush();
            for (var acknowledgment : acknowledgments) acknowledgment.get();
            delete.setArray(1, numbers);
            delete.executeUpdate();
            System.out.println("published " + events.length + " events");
        }
    }

    static String setting(String name, String otherwise) {
        return Objects.requireNonNullElse(System.getenv(name), otherwise);
    }
}
