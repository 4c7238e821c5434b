import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.regex.Pattern;

/** Prints the URL of every item of a feed: java CrawlByLink.java http://localhost:8080/api/public-feed/rent */
class CrawlByLink {
    static final Pattern NEXT = Pattern.compile("<([^>]*)>; rel=\"next\"");
    static final Pattern ITEM_URL = Pattern.compile("\"url\":\"([^\"]*)\"");

    public static void main(String[] arguments) throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        URI page = URI.create(arguments[0]);
        while (page != null) {
            var response = client.send(HttpRequest.newBuilder(page).build(), BodyHandlers.ofString());
            if (response.statusCode() == 429 || response.statusCode() == 503) {
                Thread.sleep(1000 * response.headers().firstValueAsLong("Retry-After").orElse(5));
                continue;
            }
            if (response.statusCode() != 200) throw new IllegalStateException(page + ": " + response.body());
            ITEM_URL.matcher(response.body()).results().forEach(url -> System.out.println(URI.create(url.group(1))));
            var next = NEXT.matcher(response.headers().firstValue("Link").orElse(""));
            page = next.find() ? page.resolve(next.group(1)) : null;
        }
    }
}
