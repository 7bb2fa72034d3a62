"""One reader per published format. Each streams `RawExample`s; what happens to them next is the spec's."""
