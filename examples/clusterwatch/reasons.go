package main

import (
	"fmt"
	"strings"
)

// reasons explains the verdict: for each group of data nodes that share theirs,
// who they are, and the checks that decided with the figures of the node that
// searches most.
func reasons(nodes []nodeReport, left []string) []point {
	all, _ := searches(nodes)
	var points []point
	for _, g := range groups(nodes) {
		says := fmt.Sprintf("%s for %s", g.busiest.IOBound, list(g.names))
		if all > 0 && g.busiest.Queries.known {
			says += fmt.Sprintf(", with %s of the searches", percent(known(100*g.queries/all)))
		}
		if len(g.names) > 1 && g.busiest.Change == "" {
			says += "; figures of " + g.busiest.Name
		}
		checks := g.busiest.deciding()
		if len(g.busiest.Why) == 1 { // it never came to the others
			points = append(points, point{says: says + ": " + checks[0].Says})
			continue
		}
		p := point{says: says}
		for _, c := range checks {
			p.parts = append(p.parts, c.text())
		}
		points = append(points, p)
	}
	if len(points) == 0 {
		points = append(points, point{says: "there is no data node"})
	}
	if len(left) > 0 {
		points = append(points, point{says: "left since the last poll: " + list(left)})
	}
	return points
}

// group is nodes with the same verdict for the same reasons.
type group struct {
	names   []string
	busiest *nodeReport
	queries float64
}

func groups(nodes []nodeReport) []*group {
	byKey := make(map[string]*group)
	var order []*group
	for i := range nodes {
		n := &nodes[i]
		if !n.Data {
			continue
		}
		names := []string{n.IOBound.String(), n.Change}
		for _, c := range n.deciding() {
			names = append(names, c.Name)
		}
		key := strings.Join(names, ",")
		g := byKey[key]
		if g == nil {
			g = &group{busiest: n}
			byKey[key] = g
			order = append(order, g)
		}
		g.names = append(g.names, n.Name)
		g.queries += n.Queries.value
		if n.Queries.value > g.busiest.Queries.value {
			g.busiest = n
		}
	}
	return order
}

// deciding returns the checks that made the verdict: all for yes, else those
// that failed or could not be made.
func (r *nodeReport) deciding() []check {
	var d []check
	for _, c := range r.Why {
		if c.Holds == r.IOBound {
			d = append(d, c)
		}
	}
	return d
}

func (c check) text() string {
	switch c.Holds {
	case yes:
		return c.Name + ": " + c.Says
	case no:
		return c.contrary + ": " + c.Says
	}
	return "cannot tell whether " + c.Name + ": " + c.Says
}

// list names a few of many.
func list(names []string) string {
	const most = 8
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// gone returns the names of nodes that an earlier poll had and a later has not.
func gone(before, now []node) []string {
	have := make(map[string]bool, len(now))
	for _, n := range now {
		have[n.ID] = true
	}
	var names []string
	for _, n := range before {
		if !have[n.ID] {
			names = append(names, n.Name)
		}
	}
	return names
}
