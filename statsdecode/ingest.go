package statsdecode

import (
	"slices"

	"github.com/goccy/go-json"
)

// Ingest counts the work of ingest pipelines.
type Ingest struct {
	Total     IngestTotal     `json:"total"`     // over all pipelines
	Pipelines IngestPipelines `json:"pipelines"` // by id; since Elasticsearch 6
}

// IngestTotal counts documents through ingest pipelines.
type IngestTotal struct {
	Count        int64 `json:"count"`          // documents since start
	TimeInMillis int64 `json:"time_in_millis"` // milliseconds
	Current      int64 `json:"current"`        // running now
	Failed       int64 `json:"failed"`         // since start
}

// IngestPipelines is the object ingest.pipelines, one entry a pipeline that the
// cluster has. A node that runs none of them sends them all the same.
type IngestPipelines []IngestPipeline

// IngestPipeline is the work of one pipeline on a node.
type IngestPipeline struct {
	Name                           string           `json:"-"`                                   // its id
	Count                          int64            `json:"count"`                               // documents since start
	TimeInMillis                   int64            `json:"time_in_millis"`                      // milliseconds
	Current                        int64            `json:"current"`                             // running now
	Failed                         int64            `json:"failed"`                              // since start
	IngestedAsFirstPipelineInBytes int64            `json:"ingested_as_first_pipeline_in_bytes"` // bytes of documents that met no pipeline before; since Elasticsearch 8.15
	ProducedAsFirstPipelineInBytes int64            `json:"produced_as_first_pipeline_in_bytes"` // bytes of these afterwards; since Elasticsearch 8.15
	Processors                     IngestProcessors `json:"processors"`                          // in the order of the pipeline
}

// IngestProcessors are the processors of a pipeline, in its order.
type IngestProcessors []IngestProcessor

// IngestProcessor is the work of one processor of a pipeline on a node.
type IngestProcessor struct {
	Name  string      `json:"-"`     // its type, and behind a colon its tag if it has one
	Type  string      `json:"type"`  // since Elasticsearch 7
	Stats IngestTotal `json:"stats"` // in Elasticsearch 6 its members stand beside where type stands now
}

// Get returns the pipeline with the id name and whether there is one.
func (s IngestPipelines) Get(name string) (IngestPipeline, bool) { return get(s, name) }

// UnmarshalJSON replaces the set by the members of an object. null leaves it.
func (s *IngestPipelines) UnmarshalJSON(data []byte) error {
	return unmarshalSet((*[]IngestPipeline)(s), data)
}

func (e *IngestPipeline) member() (*string, any) { return &e.Name, e }

// Get returns the processor called name and whether there is one: of several,
// the last.
func (s IngestProcessors) Get(name string) (IngestProcessor, bool) { return get(s, name) }

// UnmarshalJSON replaces the processors by those in an array, each of which is
// the member of an object of its own. null leaves them.
func (s *IngestProcessors) UnmarshalJSON(data []byte) error {
	data, err := checked(data)
	if err != nil || isNull(data) {
		return err
	}
	if data[0] != '[' {
		return wrongType(data, *s)
	}
	processors := (*s)[:0]
	var first error
	for object := range elements(data) {
		if !isObject(object) && first == nil {
			first = wrongType(object, *s)
		}
		for key, value := range members(object) {
			p := IngestProcessor{Name: string(unquote(key))}
			err := json.Unmarshal(value, &p)
			if err == nil {
				err = json.Unmarshal(value, &p.Stats) // as in Elasticsearch 6
			}
			if first == nil {
				first = err
			}
			processors = append(processors, p)
		}
	}
	*s = processors
	return first
}

func (e *IngestProcessor) member() (*string, any) { return &e.Name, e }

func (s IngestPipelines) clone() IngestPipelines {
	s = slices.Clone(s)
	for i := range s {
		s[i].Processors = slices.Clone(s[i].Processors)
	}
	return s
}

// reuse returns s without its elements, but with their processors' memory, as
// far as real pipelines need it.
func (s IngestPipelines) reuse() IngestPipelines {
	s = reuse(s)
	all := s[:cap(s)]
	for i := range all {
		if cap(all[i].Processors) > maxReuseProcessors {
			all[i] = IngestPipeline{}
		}
	}
	return s
}

// maxReuseProcessors is how many processors of a pipeline may be used again.
const maxReuseProcessors = 64
