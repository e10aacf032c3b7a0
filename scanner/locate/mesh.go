package locate

import (
	"container/heap"
	"math"

	"tcode/scanner/gray"
)

const (
	// meshStep is the number of modules between two nodes of a mesh.
	meshStep = 2
	// meshReach is the number of nodes to either side of the first.
	meshReach = 80
	// meshSide is the number of nodes of a row or column of the table.
	meshSide = 2*meshReach + 1
	// stopEvery is the number of nodes after which a mesh asks whether to stop.
	stopEvery = 16
	// mostNodes is the number of nodes of the largest symbol and some paper around it.
	mostNodes = 80 * 80

	nodeEdges = 0.1  // share of the first node's edges that a node has
	nodeStray = 0.38 // modules by which a node may miss its expected place
	nodeStill = 0.12 // modules up to which its place is as good as found
	nodeTurn  = 0.25 // share of a frequency by which that of the next node may differ
)

// A mesh is the places of the crossings of the grid of modules, every meshStep modules.
type mesh struct {
	lattice *lattice
	nodes   []node
	at      []int32 // index of a node in nodes plus 1, by row and column; 0: there is none
	queue   meshQueue
	least   float64 // clearness of a node
	edges   float64 // sum of the edges in the window of the first node
	refuted bool    // the grid is clear, and no symbol
}

// A node is a crossing of the grid.
type node struct {
	cell
	i, j  int                  // columns and rows from the first node, in steps
	steps [families]gray.Point // px to the next module of the row and of the column
}

// grow starts the mesh at first and follows the grid as far as it is at least least clear, the
// clearest nodes first.
func (m *mesh) grow(first cell, least float64) {
	m.nodes = m.nodes[:0]
	if m.at == nil {
		m.at = make([]int32, meshSide*meshSide)
	}
	clear(m.at)
	m.queue = meshQueue{mesh: m, list: m.queue.list[:0]}
	m.least, m.edges = least, 0
	if n, ok := m.settle(first, 0, 0); ok {
		m.edges = n.edges
		m.add(n)
	}
	steps := 0
	for len(m.queue.list) > 0 && len(m.nodes) < mostNodes && m.lattice.left > 0 {
		if steps++; steps%stopEvery == 0 && m.lattice.over() {
			return
		}
		n := m.nodes[heap.Pop(&m.queue).(int32)]
		for _, d := range [4][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
			i, j := n.i+d[0], n.j+d[1]
			if max(i, -i, j, -j) > meshReach || m.node(i, j) != nil {
				continue
			}
			c := n.cell
			c.at = c.at.Add(n.steps[0].Mul(float64(d[0] * meshStep))).Add(n.steps[1].Mul(float64(d[1] * meshStep)))
			if next, ok := m.settle(c, i, j); ok {
				m.add(next)
			}
		}
	}
}

// node returns the node at column i and row j; nil: there is none.
func (m *mesh) node(i, j int) *node {
	if max(i, -i, j, -j) > meshReach {
		return nil
	}
	if at := m.at[(j+meshReach)*meshSide+i+meshReach]; at > 0 {
		return &m.nodes[at-1]
	}
	return nil
}

func (m *mesh) add(n node) {
	m.nodes = append(m.nodes, n)
	m.at[(n.j+meshReach)*meshSide+n.i+meshReach] = int32(len(m.nodes))
	heap.Push(&m.queue, int32(len(m.nodes)-1))
}

// settle moves c to the crossing nearest to it, and reports whether the grid is clear there and
// much as before.
func (m *mesh) settle(c cell, i, j int) (node, bool) {
	l := m.lattice
	before := c.k
	for pass := range 2 {
		if !(c.at.X >= 0 && c.at.Y >= 0 && c.at.X < float64(l.w) && c.at.Y < float64(l.h)) {
			return node{}, false
		}
		l.weigh(&c)
		far := max(math.Abs(c.off[0]), math.Abs(c.off[1]))
		if c.clearness() < m.least || c.edges < nodeEdges*m.edges || pass == 0 && far > nodeStray && len(m.nodes) > 0 {
			return node{}, false
		}
		e, ok := c.steps()
		if !ok {
			return node{}, false
		}
		c.at = c.at.Add(e[0].Mul(c.off[0])).Add(e[1].Mul(c.off[1]))
		if far < nodeStill {
			break
		}
	}
	for k := range families {
		if c.k[k].Sub(before[k]).Len() > nodeTurn*before[k].Len() {
			return node{}, false
		}
	}
	e, ok := c.steps()
	return node{cell: c, i: i, j: j, steps: e}, ok
}

// refine moves the nodes to the crossings as seen through smaller windows, which a bend changes
// less. The frequencies are those of the mesh.
func (m *mesh) refine() {
	l := m.lattice
	before := l.sigma
	defer func() { l.sigma = before }()
	moved := make([]gray.Point, len(m.nodes))
	for _, sigma := range [2]float64{1.6, 1.2} {
		l.sigma = sigma
		for i := range m.nodes {
			if i%stopEvery == 0 && l.over() {
				return
			}
			n := &m.nodes[i]
			moved[i] = n.at
			e, ok := m.between(n)
			if !ok {
				continue
			}
			c, det := n.cell, e[0].Cross(e[1])
			c.k[0] = gray.Point{X: e[1].Y, Y: -e[1].X}.Mul(1 / det)
			c.k[1] = gray.Point{X: -e[0].Y, Y: e[0].X}.Mul(1 / det)
			c.off = [families]float64{}
			l.weigh(&c)
			if max(math.Abs(c.off[0]), math.Abs(c.off[1])) < nodeStray {
				moved[i] = n.at.Add(e[0].Mul(c.off[0])).Add(e[1].Mul(c.off[1]))
			}
			n.steps = e
		}
		for i := range m.nodes {
			m.nodes[i].at = moved[i]
		}
	}
}

// between returns the steps at n by the nodes around it; ok is false if there are none, or if they
// are nearly parallel.
func (m *mesh) between(n *node) (e [families]gray.Point, ok bool) {
	for k, d := range [families][2]int{{1, 0}, {0, 1}} {
		a, b := m.node(n.i-d[0], n.j-d[1]), m.node(n.i+d[0], n.j+d[1])
		switch {
		case a != nil && b != nil:
			e[k] = b.at.Sub(a.at).Mul(1.0 / (2 * meshStep))
		case a != nil:
			e[k] = n.at.Sub(a.at).Mul(1.0 / meshStep)
		case b != nil:
			e[k] = b.at.Sub(n.at).Mul(1.0 / meshStep)
		default:
			return e, false
		}
	}
	return e, math.Abs(e[0].Cross(e[1])) > 0.25*e[0].Len()*e[1].Len()
}

// A meshQueue holds the nodes whose neighbours are not known yet, the clearest first. It is a
// heap.
type meshQueue struct {
	mesh *mesh
	list []int32
}

// Len returns the number of nodes.
func (q *meshQueue) Len() int { return len(q.list) }

// Less reports whether node a is clearer than node b.
func (q *meshQueue) Less(a, b int) bool {
	n := q.mesh.nodes
	return n[q.list[a]].clearness() > n[q.list[b]].clearness()
}

// Swap exchanges two nodes.
func (q *meshQueue) Swap(a, b int) { q.list[a], q.list[b] = q.list[b], q.list[a] }

// Push appends the node of index v, an int32.
func (q *meshQueue) Push(v any) { q.list = append(q.list, v.(int32)) }

// Pop removes the last node and returns its index.
func (q *meshQueue) Pop() any {
	v := q.list[len(q.list)-1]
	q.list = q.list[:len(q.list)-1]
	return v
}
