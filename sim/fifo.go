package sim

// fifo is a queue that reuses its space.
type fifo[T any] struct {
	items []T
	head  int
}

func (f *fifo[T]) len() int { return len(f.items) - f.head }

func (f *fifo[T]) push(item T) {
	if f.head > 32 && f.head*2 > len(f.items) {
		f.items = f.items[:copy(f.items, f.items[f.head:])]
		f.head = 0
	}
	f.items = append(f.items, item)
}

func (f *fifo[T]) first() *T { return &f.items[f.head] }

func (f *fifo[T]) pop() T {
	item := f.items[f.head]
	f.head++
	return item
}
