import java.util.Collection;
import java.util.List;
import org.opensearch.Version;
import org.opensearch.cluster.service.ClusterService;
import org.opensearch.env.Environment;
import org.opensearch.node.Node;

/** A real node that finds the plugin serving HTTP on the class path and not in a modules folder. */
class LocalNode extends Node {
  @SuppressWarnings("unchecked")
  LocalNode(Environment env) throws Exception {
    super(env, plugins(), true);
  }

  /**
   * The constructor takes classes, and since 3.1 descriptions of classes instead. Either is a
   * Collection once compiled, so one source fits all versions.
   */
  @SuppressWarnings("rawtypes")
  private static Collection plugins() throws Exception {
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

  /** Would write the node's id into a static field, which only the first node in a JVM can. */
  @Override
  protected void configureNodeAndClusterIdStateListener(ClusterService clusterService) {}
}
