package statsdecode

// IndexSettings are the settings of one index, from a GET /_settings answer.
// The server sends only those that were set, and every value as a string; a
// setting that is absent is zero.
//
// An IndexSettings handed out by [Decoder.Settings] is reused for the next one;
// a copy may be kept. Strings never share memory with the answer.
type IndexSettings struct {
	Name                string          `json:"-"`                            // the index: its key in the answer
	UUID                string          `json:"uuid"`                         // changes when an index is made anew
	ProvidedName        string          `json:"provided_name"`                // the name in the request that made it
	Codec               string          `json:"codec"`                        // "" the default of Mode: best_compression for logsdb, else default
	Mode                string          `json:"mode"`                         // "" standard; time_series, logsdb, lookup; since Elasticsearch 7.17
	NumberOfShards      int64           `json:"number_of_shards,string"`      // primary shards
	NumberOfReplicas    int64           `json:"number_of_replicas,string"`    // copies of each primary shard
	CreationDate        int64           `json:"creation_date,string"`         // milliseconds since the epoch
	RefreshInterval     string          `json:"refresh_interval"`             // such as 30s, -1 never; "" the default
	Version             SettingsVersion `json:"version"`                      // who made it
	Hidden              bool            `json:"hidden,string"`                // wildcards pass it over, as the indices behind a data stream
	VerifiedBeforeClose bool            `json:"verified_before_close,string"` // closed, by Elasticsearch 7.2 or later
}

// SettingsVersion is the internal number of the server's version.
type SettingsVersion struct {
	Created string `json:"created"` // the version that made the index
}

// intern replaces strings that refer to the window.
func (s *IndexSettings) intern(name []byte, names *names) {
	s.Name, s.UUID = names.pair(name, []byte(s.UUID))
	for _, p := range []*string{&s.ProvidedName, &s.Codec, &s.Mode, &s.RefreshInterval, &s.Version.Created} {
		*p = names.own(*p)
	}
}
