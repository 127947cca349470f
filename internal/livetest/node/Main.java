import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.opensearch.Version;
import org.opensearch.cluster.service.ClusterService;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.http.HttpServerTransport;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.transport.TransportService;

/**
 * Runs an OpenSearch cluster in this JVM until standard input closes.
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

    String addresses =
        nodes.stream()
            .map(n -> '"' + httpAddress(n) + '"')
            .collect(Collectors.joining(",", "[", "]"));
    out.println(
        "{\"product\":\"opensearch\",\"version\":\""
            + Version.CURRENT
            + "\",\"addresses\":"
            + addresses
            + "}");
    out.flush();
    Thread.currentThread().join();
  }

  /** A node may differ from a real one in two points: which plugins it takes, and one listener. */
  static class LocalNode extends Node {
    @SuppressWarnings("unchecked")
    LocalNode(Environment env) throws Exception {
      super(env, plugins(), true);
    }

    /** The listener writes the node's id into a static field, which only the first node can. */
    @Override
    protected void configureNodeAndClusterIdStateListener(ClusterService clusterService) {}

    /**
     * The plugin that serves HTTP. The constructor takes a class, and since 3.1 the description of
     * one instead; either is a Collection once compiled, so one source fits all versions.
     */
    @SuppressWarnings("rawtypes")
    static Collection plugins() throws Exception {
      try {
        return List.of(Class.forName("org.opensearch.transport.Netty4Plugin"));
      } catch (ClassNotFoundException renamedIn3) {
        return List.of(
            Class.forName("org.opensearch.plugins.PluginInfo")
                .getConstructor(
                    String.class, String.class, String.class, Version.class, String.class,
                    String.class, String.class, List.class, boolean.class)
                .newInstance(
                    "transport-netty4", "", "1", Version.CURRENT, "21",
                    "org.opensearch.transport.Netty4ModulePlugin", null, List.of(), false));
      }
    }
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

  static void awaitGreen(Node node, int count) {
    var health =
        node.client()
            .admin()
            .cluster()
            .prepareHealth()
            .setWaitForNodes(Integer.toString(count))
            .setWaitForGreenStatus()
            .setTimeout("60s")
            .get();
    if (health.isTimedOut()) {
      throw new IllegalStateException("cluster is not green: " + health);
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
