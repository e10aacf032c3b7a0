package locate

import (
	"container/heap"
	"math"

	"tcode/scanner/gray"
)

const (
	// meshStep is the number of modules between two nodes of a mesh.
	meshStep = 2
	// meshMost is the number of nodes to either side of the first.
	meshMost = 80
	// meshSide is the number of nodes of a row or column of the table.
	meshSide = 2*meshMost + 1
)

// A mesh is the places of the crossings of the grid of modules, every meshStep modules.
type mesh struct {
	lattice *lattice
	nodes   []node
	at      []int32 // index of a node in nodes plus 1, by row and column; 0: there is none
	queue   meshQueue
	least   float64 // clearness of a node
	edges   float64 // sum of the edges in the window of the first node
}

// A node is a crossing of the grid.
type node struct {
	cell
	i, j  int // columns and rows from the first node, in steps
	steps [families]gray.Point
	score float64
}

// grow starts the mesh at first and follows the grid as far as it is clear.
func (m *mesh) grow(first cell, least float64) {
	m.nodes = m.nodes[:0]
	if m.at == nil {
		m.at = make([]int32, meshSide*meshSide)
	}
	clear(m.at)
	m.queue = meshQueue{m: m}
	m.least, m.edges = least, first.edges
	if n, ok := m.settle(first, 0, 0); ok {
		m.add(n)
	}
	for len(m.queue.list) > 0 {
		n := m.nodes[heap.Pop(&m.queue).(int32)]
		for _, d := range [4][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
			i, j := n.i+d[0], n.j+d[1]
			if i < -meshMost || i > meshMost || j < -meshMost || j > meshMost || m.at[m.index(i, j)] != 0 {
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

func (m *mesh) index(i, j int) int { return (j+meshMost)*meshSide + i + meshMost }

func (m *mesh) node(i, j int) *node {
	if i < -meshMost || i > meshMost || j < -meshMost || j > meshMost {
		return nil
	}
	if at := m.at[m.index(i, j)]; at > 0 {
		return &m.nodes[at-1]
	}
	return nil
}

func (m *mesh) add(n node) {
	m.nodes = append(m.nodes, n)
	m.at[m.index(n.i, n.j)] = int32(len(m.nodes))
	heap.Push(&m.queue, int32(len(m.nodes)-1))
}

// settle moves c to the crossing nearest to it, and reports whether the grid is clear there.
func (m *mesh) settle(c cell, i, j int) (node, bool) {
	l := m.lattice
	before := c.k
	for pass := range 2 {
		if c.at.X < 0 || c.at.Y < 0 || c.at.X >= float64(l.w) || c.at.Y >= float64(l.h) {
			return node{}, false
		}
		l.weigh(&c)
		if min(c.clear[0], c.clear[1]) < m.least || c.edges < 0.1*m.edges {
			return node{}, false
		}
		e, ok := c.steps()
		if !ok || pass == 0 && max(math.Abs(c.off[0]), math.Abs(c.off[1])) > 0.38 && (i != 0 || j != 0) {
			return node{}, false
		}
		c.at = c.at.Add(e[0].Mul(c.off[0])).Add(e[1].Mul(c.off[1]))
	}
	for k := range families {
		if c.k[k].Sub(before[k]).Len() > 0.25*before[k].Len() {
			return node{}, false
		}
	}
	e, ok := c.steps()
	return node{cell: c, i: i, j: j, steps: e, score: min(c.clear[0], c.clear[1])}, ok
}

// meshQueue orders nodes, the clearest first.
type meshQueue struct {
	m    *mesh
	list []int32
}

func (q *meshQueue) Len() int { return len(q.list) }
func (q *meshQueue) Less(a, b int) bool {
	return q.m.nodes[q.list[a]].score > q.m.nodes[q.list[b]].score
}
func (q *meshQueue) Swap(a, b int) { q.list[a], q.list[b] = q.list[b], q.list[a] }
func (q *meshQueue) Push(v any)    { q.list = append(q.list, v.(int32)) }
func (q *meshQueue) Pop() any {
	v := q.list[len(q.list)-1]
	q.list = q.list[:len(q.list)-1]
	return v
}
