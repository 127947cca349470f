import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.jar.JarFile;
import org.elasticsearch.cluster.service.ClusterService;
import org.elasticsearch.common.logging.LogConfigurator;
import org.elasticsearch.env.Environment;
import org.elasticsearch.node.Node;
import org.elasticsearch.plugins.PluginsLoader;

/** A real node of Elasticsearch 8 or newer, which takes plugins from a modules folder only. */
class LocalNode extends Node {
  static {
    LogConfigurator.configureESLogging();
  }

  private static PluginsLoader transport;

  LocalNode(Environment env) throws Exception {
    super(env, transport(env.modulesDir()));
  }

  /**
   * Loads the plugin that serves HTTP from a folder as in a distribution, where it may not be on the
   * class path as well, and once for all nodes: loaded twice, it names the same things in Netty
   * twice, which Netty refuses. Its descriptor names a Java module, which could only be resolved if
   * the server ran as modules too; without that name it becomes a part of the class path.
   */
  private static PluginsLoader transport(Path modules) throws Exception {
    if (transport != null) {
      return transport;
    }
    Path jar = Path.of(System.getProperty("transport"));
    Path dir = Files.createDirectories(modules.resolve("transport-netty4"));
    Files.createSymbolicLink(dir.resolve(jar.getFileName()), jar);
    String name = "plugin-descriptor.properties";
    var descriptor = new Properties();
    try (var plugin = new JarFile(jar.toFile())) {
      var entry = plugin.getEntry("META-INF/es-plugins/transport-netty4/" + name);
      descriptor.load(plugin.getInputStream(entry));
    }
    descriptor.remove("modulename");
    try (var out = Files.newOutputStream(dir.resolve(name))) {
      descriptor.store(out, null);
    }
    var bundles = PluginsLoader.loadModulesBundles(modules);
    transport = PluginsLoader.createPluginsLoader(bundles, Set.of(), Map.of(), false);
    return transport;
  }

  /** Would write the node's id into a static field, which only the first node in a JVM can. */
  @Override
  protected void configureNodeAndClusterIdStateListener(ClusterService clusterService) {}
}
