import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.opensearch.Version;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.http.HttpServerTransport;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.transport.TransportService;

/**
 * Runs a cluster of OpenSearch in this JVM until standard input closes.
 *
 * <p>Usage: Main NODES HOME. Each node keeps its files in a folder of HOME, which is deleted at the
 * end. The only line on standard output says where the nodes answer, once the cluster is green:
 * {"product":"opensearch","version":"2.19.6","addresses":["127.0.0.1:41000","127.0.0.1:41002"]}
 */
public class Main {
  public static void main(String[] args) throws Exception {
    PrintStream out = System.out;
    System.setOut(System.err);
    int count = Integer.parseInt(args[0]);
    Path home = Path.of(args[1]);

    List<Node> nodes = new ArrayList<>();
    Thread stop = new Thread(() -> stop(nodes, home));
    Runtime.getRuntime().addShutdownHook(stop);
    Thread reader = new Thread(Main::exitAtEndOfInput, "stdin");
    reader.setDaemon(true);
    reader.start();

    try {
      List<String> addresses = start(nodes, count, home);
      out.println(
          "{\"product\":\"opensearch\",\"version\":\""
              + Version.CURRENT
              + "\",\"addresses\":[\""
              + String.join("\",\"", addresses)
              + "\"]}");
      out.flush();
      Thread.currentThread().join(); // a node alone does not keep the process alive
    } catch (Throwable e) {
      e.printStackTrace();
      System.exit(1);
    }
  }

  static List<String> start(List<Node> nodes, int count, Path home) throws Exception {
    String seed = null;
    for (int i = 0; i < count; i++) {
      Node node = new LocalNode(environment(home.resolve("n" + i), "n" + i, seed));
      synchronized (nodes) {
        nodes.add(node);
      }
      node.start();
      seed = seed != null ? seed : transportAddress(node);
    }
    awaitGreen(nodes.get(0), count);
    return nodes.stream().map(Main::httpAddress).collect(Collectors.toList());
  }

  static Environment environment(Path home, String name, String seed) throws Exception {
    Files.createDirectories(home.resolve("modules"));
    Files.createDirectories(home.resolve("plugins"));
    Settings.Builder settings =
        Settings.builder()
            .put("path.home", home.toString())
            .put("cluster.name", "lowalloc")
            .put("node.name", name)
            .put("network.host", "127.0.0.1")
            .put("http.port", "0")
            .put("transport.port", "0")
            .put("node.processors", 1)
            .put("cluster.routing.allocation.disk.threshold_enabled", false)
            .put("indices.breaker.total.use_real_memory", false);
    // One node founds the cluster and the others find it. Naming all of them as founders would
    // make the first start wait in vain for the second, which does not exist yet.
    if (seed == null) {
      settings.put("cluster.initial_cluster_manager_nodes", name).putList("discovery.seed_hosts");
    } else {
      settings.putList("discovery.seed_hosts", seed);
    }
    return InternalSettingsPreparer.prepareEnvironment(
        settings.build(), Map.of(), null, () -> name);
  }

  static String httpAddress(Node node) {
    return node.injector()
        .getInstance(HttpServerTransport.class)
        .boundAddress()
        .publishAddress()
        .toString();
  }

  static String transportAddress(Node node) {
    return node.injector()
        .getInstance(TransportService.class)
        .boundAddress()
        .publishAddress()
        .toString();
  }

  static void awaitGreen(Node node, int count) throws Exception {
    var url =
        "http://"
            + httpAddress(node)
            + "/_cluster/health?wait_for_status=green&timeout=60s&wait_for_nodes="
            + count;
    var health =
        HttpClient.newHttpClient()
            .send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString());
    if (health.statusCode() != 200) {
      throw new IllegalStateException("cluster is not green: " + health.body());
    }
  }

  static void exitAtEndOfInput() {
    try {
      while (System.in.read() >= 0) {}
    } catch (java.io.IOException e) {
      System.err.println("standard input: " + e);
    }
    System.exit(0);
  }

  static void stop(List<Node> nodes, Path home) {
    synchronized (nodes) {
      for (int i = nodes.size() - 1; i >= 0; i--) {
        try {
          nodes.get(i).close();
        } catch (Exception e) {
          e.printStackTrace();
        }
      }
    }
    try (var files = Files.walk(home)) {
      files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(java.io.File::delete);
    } catch (java.io.IOException e) {
      System.err.println("cannot delete " + home + ": " + e);
    }
  }
}
