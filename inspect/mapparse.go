package inspect

